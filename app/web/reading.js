// What is read by others than eyes at the screen: a tree of what is on it for screen readers, and the page on paper.

// ---- What is on the screen, for screen readers: the same elements from frame to frame, where their pictures stand

const shown = new Map(); // by path
let reachable = []; // boxes that a finger may mean, in px of the canvas
function showParts({ view, caret, parts }) {
  const tree = byId('tree'), by = ratio();
  reachable = parts.filter(([, role, , state]) => role !== 'text' && state !== 'disabled').map(([, , , , , ...box]) => box);
  // What an input method composes, and its list of words, stand where the text goes.
  const [left, top, , tall] = caret.map((px) => px / by);
  Object.assign(byId('typing').style, tall ? { left: `${left}px`, top: `${top}px`, height: `${tall}px`, lineHeight: `${tall}px` } : { left: 0, top: 0 });
  byId('view').textContent = view;
  const gone = new Set(shown.keys());
  let focused = '';
  parts.forEach(([path, role, name, state, hasFocus, x, y, w, h], at) => {
    gone.delete(path);
    let part = shown.get(path);
    if (!part) {
      shown.set(path, part = document.createElement('div'));
      part.id = 'part ' + path;
      part.id = part.id.replace(/\s/g, '_');
      // A screen reader presses what it reads.
      part.addEventListener('click', () => {
        const { left, top, width, height } = part.getBoundingClientRect();
        Module._headlight_pointer((left + width / 2) * ratio(), (top + height / 2) * ratio());
        Module._headlight_button(0, 1, 0);
        Module._headlight_button(0, 0, 0);
        ask();
      });
    }
    const words = { role: role === 'text' ? 'note' : role, 'aria-label': name, 'aria-disabled': String(state === 'disabled') };
    if (role === 'switch') words['aria-checked'] = String(name.endsWith(': on'));
    if (role === 'button' && state === 'selected') words['aria-pressed'] = 'true';
    else part.removeAttribute('aria-pressed');
    for (const [key, value] of Object.entries(words)) if (part.getAttribute(key) !== value) part.setAttribute(key, value);
    Object.assign(part.style, { left: `${x / by}px`, top: `${y / by}px`, width: `${w / by}px`, height: `${h / by}px` });
    if (tree.children[at] !== part) tree.insertBefore(part, tree.children[at] ?? null);
    if (hasFocus) focused = part.id;
  });
  for (const path of gone) { shown.get(path).remove(); shown.delete(path); }
  if (focused) byId('typing').setAttribute('aria-activedescendant', focused);
  else byId('typing').removeAttribute('aria-activedescendant');
}

// ---- On paper

// What the browser prints is a picture of the page as it stands.
function connectPrinting() {
  window.addEventListener('beforeprint', () => {
    if (!page.running) return;
    frame(); // a canvas can be read until the browser has shown it
    byId('paper').src = byId('canvas').toDataURL('image/png');
  });
  window.addEventListener('afterprint', () => byId('paper').removeAttribute('src'));
}
