// Typesets Headlight's formulas with MathJax and writes their shapes, for app/widgets/formula_data.h to read.
//
// Not needed to build: the result is committed. In a copy of this folder outside the source tree:
//
//   npm install --ignore-scripts
//   node typeset.mjs INPUT... > FORMULAS.txt        then move it to assets/formulas/formulas.txt
//
// An INPUT ending in .h is a header of formula constants (engine/variants/*_formulas.h): each `const char* name` with
// its raw string literals is one formula. Any other INPUT is JSON: every value of a key named "formula" is one.
//
// The output is text, the same for the same input. All lengths are whole thousandths of an em; y points up and is 0 on
// the baseline.
//
//   headlight-formulas 1
//   outline NAME SVG-PATH                 a glyph; NAME is its code point, .1 .2 ... where it has several shapes
//   formula LATEX
//   size WIDTH HEIGHT DEPTH               the lines from here to the next `formula` belong to this one
//   region PARENT ID                      \hl{ID}; regions count from 1, 0 is the formula itself
//   glyph REGION OUTLINE X Y SCALE
//   rule REGION X Y WIDTH HEIGHT
//   end
import fs from 'node:fs';
import {liteAdaptor} from 'mathjax-full/js/adaptors/liteAdaptor.js';
import {RegisterHTMLHandler} from 'mathjax-full/js/handlers/html.js';
import {TeX} from 'mathjax-full/js/input/tex.js';
import 'mathjax-full/js/input/tex/ams/AmsConfiguration.js';
import 'mathjax-full/js/input/tex/base/BaseConfiguration.js';
import 'mathjax-full/js/input/tex/configmacros/ConfigMacrosConfiguration.js';
import 'mathjax-full/js/input/tex/html/HtmlConfiguration.js';
import {mathjax} from 'mathjax-full/js/mathjax.js';
import {SVG} from 'mathjax-full/js/output/svg.js';

const MARK = 'headlight-region-';

function formulasInHeader(text) {
  const found = [];
  for (const [, literals] of text.matchAll(/const char\*\s+\w+\s*=\s*((?:R"\([^]*?\)"\s*)+);/g))
    found.push([...literals.matchAll(/R"\(([^]*?)\)"/g)].map((match) => match[1]).join(''));
  return found;
}

function formulasInJson(value, found = []) {
  if (value === null || typeof value !== 'object') return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'formula' && typeof inner === 'string') found.push(inner);
    else formulasInJson(inner, found);
  }
  return found;
}

const adaptor = liteAdaptor();
RegisterHTMLHandler(adaptor);
const tex = new TeX({
  packages: ['base', 'ams', 'configmacros', 'html'],
  macros: {hl: [`\\class{${MARK}#1}{#2}`, 2]},
  formatError: (_, error) => { throw error; },
});
const page = mathjax.document('', {InputJax: tex, OutputJax: new SVG({fontCache: 'none'})});

// outline → name, in the order of first use
const outlines = new Map();
const namesTaken = new Map();

function outlineName(path, codePoint) {
  if (!outlines.has(path)) {
    const before = namesTaken.get(codePoint) ?? 0;
    namesTaken.set(codePoint, before + 1);
    outlines.set(path, before ? `${codePoint}.${before}` : codePoint);
  }
  return outlines.get(path);
}

// Only what MathJax writes: translate(x[,y]) and uniform scale(s), in a row. place = {x, y, scale}.
function moved(place, transform) {
  let {x, y, scale} = place;
  for (const [, name, list] of transform.matchAll(/(\w+)\(([^)]*)\)/g)) {
    const [a, b] = list.split(/[\s,]+/).map(Number);
    if (name === 'translate') [x, y] = [x + scale * a, y + scale * (b ?? 0)];
    else if (name === 'scale' && (b === undefined || a === b)) scale *= a;
    else throw new Error(`cannot place a shape by "${transform}"`);
  }
  return {x, y, scale};
}

const number = (node, name) => Number(adaptor.getAttribute(node, name) ?? 0);
const thousandths = (value) => String(Math.round(value) + 0);

function walk(node, place, region, out) {
  const kind = adaptor.kind(node);
  if (kind === '#text') return;
  const transform = adaptor.getAttribute(node, 'transform');
  if (transform) place = moved(place, transform);
  const mark = (adaptor.getAttribute(node, 'class') ?? '').split(' ').find((name) => name.startsWith(MARK));
  if (mark) {
    out.regions.push(`region ${region} ${mark.slice(MARK.length)}`);
    region = out.regions.length;
  }
  if (kind === 'path') {
    const path = adaptor.getAttribute(node, 'd');
    if (!path) return;
    const codePoint = adaptor.getAttribute(node, 'data-c') ?? 'none';
    const at = [place.x, place.y, 1000 * place.scale].map(thousandths);
    out.shapes.push(`glyph ${region} ${outlineName(path, codePoint)} ${at.join(' ')}`);
  } else if (kind === 'rect') {
    const {x, y, scale} = place;
    const box = [x + scale * number(node, 'x'), y + scale * number(node, 'y'), scale * number(node, 'width'),
                 scale * number(node, 'height')];
    out.shapes.push(`rule ${region} ${box.map(thousandths).join(' ')}`);
  } else if (kind === 'g') {
    for (const child of adaptor.childNodes(node)) walk(child, place, region, out);
  } else {
    throw new Error(`cannot draw a <${kind}>`);
  }
}

function typeset(latex) {
  const svg = adaptor.firstChild(page.convert(latex, {display: true}));
  const [, top, width, total] = adaptor.getAttribute(svg, 'viewBox').split(' ').map(Number);
  const out = {regions: [], shapes: []};
  for (const group of adaptor.childNodes(svg)) {
    if (adaptor.kind(group) === 'defs') continue;
    const flip = adaptor.getAttribute(group, 'transform');
    if (flip !== 'scale(1,-1)') throw new Error(`expected the y axis to be turned once, found "${flip}"`);
    for (const child of adaptor.childNodes(group)) walk(child, {x: 0, y: 0, scale: 1}, 0, out);
  }
  const size = [width, -top, total + top].map(thousandths);
  return [`formula ${latex}`, `size ${size.join(' ')}`, ...out.regions, ...out.shapes];
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node typeset.mjs INPUT... > formulas.txt      (headers of formulas, or JSON)');
  process.exit(2);
}
const formulas = new Set();
for (const file of files) {
  const text = fs.readFileSync(file, 'utf8');
  const found = file.endsWith('.h') ? formulasInHeader(text) : formulasInJson(JSON.parse(text));
  for (const latex of found) if (latex !== '') formulas.add(latex);
}
const blocks = [];
let refused = 0;
for (const latex of [...formulas].sort()) {
  try {
    if (latex.includes('\n')) throw new Error('a formula is one line');
    blocks.push(...typeset(latex));
  } catch (error) {
    console.error(`refused: ${error.message}: ${latex}`);
    ++refused;
  }
}
if (refused > 0) process.exit(1);
const glyphs = [...outlines].map(([path, name]) => `outline ${name} ${path}`).sort();
process.stdout.write(['headlight-formulas 1', ...glyphs, ...blocks, 'end', ''].join('\n'));
