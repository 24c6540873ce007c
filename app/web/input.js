// Keys, what is typed and pasted, the mouse, fingers.

// ---- Keys, text, clipboard

const modifiers = (event) => (event.ctrlKey || event.metaKey ? 1 : 0) | (event.shiftKey ? 2 : 0) | (event.altKey ? 4 : 0);
const isModifier = (event) => ['Control', 'Shift', 'Alt', 'Meta', 'AltGraph'].includes(event.key);

// A text of the page in the program's memory, for as long as the call takes.
function withText(text, call) {
  const size = lengthBytesUTF8(text) + 1, at = Module._malloc(size);
  stringToUTF8(text, at, size);
  try { return call(at); } finally { Module._free(at); }
}

function pressed(event, down) {
  const shown = event.key.length === 1 ? event.key.toLowerCase() : '';
  return withText(shown, (key) => withText(event.code, (code) => Module._headlight_key(key, code, down, event.repeat ? 1 : 0, modifiers(event))));
}

function typed(text) {
  for (const letter of text) Module._headlight_character(letter.codePointAt(0));
  ask();
}

function connectKeys() {
  const field = byId('typing');
  const own = (event) => event.target === field || event.target === document.body || event.target === byId('canvas');
  window.addEventListener('keydown', (event) => {
    if (!own(event) || event.isComposing || event.keyCode === 229) return;
    if (document.activeElement !== field) field.focus({ preventScroll: true });
    if (isModifier(event)) return Module._headlight_modifiers(modifiers(event)), ask();
    const command = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (command && event.key.toLowerCase() === 'v') return; // pasted below
    if (event.key === 'F12' || (command && event.shiftKey && ['i', 'j', 'c'].includes(event.key.toLowerCase()))) return; // the browser's tools
    const taken = pressed(event, 1);
    const types = event.key.length === 1 && !command;
    if (taken && !types) event.preventDefault();
    ask();
  });
  window.addEventListener('keyup', (event) => {
    if (isModifier(event)) Module._headlight_modifiers(modifiers(event));
    else pressed(event, 0);
    ask();
  });
  const take = () => { const text = field.value; field.value = ''; if (text) typed(text.replace(/[\n\t]/g, '')); };
  field.addEventListener('input', (event) => { if (!event.isComposing) take(); });
  field.addEventListener('compositionstart', () => field.classList.add('composes'));
  field.addEventListener('compositionend', () => { field.classList.remove('composes'); take(); });
  field.addEventListener('paste', (event) => {
    event.preventDefault();
    withText(event.clipboardData.getData('text/plain'), (text) => Module._headlight_clipboard(text));
    withText('v', (key) => withText('KeyV', (code) => {
      Module._headlight_key(key, code, 1, 0, 1);
      Module._headlight_key(key, code, 0, 0, 1);
    }));
    ask();
  });
  window.addEventListener('blur', () => { Module._headlight_modifiers(0); ask(); });
}

// ---- Pointers

const ratio = () => window.devicePixelRatio || 1;

function connectMouse(canvas) {
  const buttonOf = { 0: 0, 1: 2, 2: 1 }; // the page's middle one is the second, the program's the third
  const at = (event) => event.pointerType !== 'touch';
  canvas.addEventListener('pointerdown', (event) => {
    if (!at(event)) return;
    page.touched = false;
    byId('typing').focus({ preventScroll: true });
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    point(event.offsetX, event.offsetY);
    Module._headlight_button(buttonOf[event.button] ?? 0, 1, modifiers(event));
    ask();
  });
  canvas.addEventListener('pointermove', (event) => { if (at(event)) { point(event.offsetX, event.offsetY); ask(); } });
  for (const ended of ['pointerup', 'pointercancel'])
    canvas.addEventListener(ended, (event) => {
      if (!at(event)) return;
      point(event.offsetX, event.offsetY);
      Module._headlight_button(buttonOf[event.button] ?? 0, 0, modifiers(event));
      ask();
    });
  canvas.addEventListener('pointerleave', (event) => { if (at(event) && event.buttons === 0) { Module._headlight_leave(); ask(); } });
  canvas.addEventListener('contextmenu', (event) => event.preventDefault());
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    turnWheel(-event.deltaY / (event.deltaMode === 1 ? 3 : event.deltaMode === 2 ? 1 : 100), modifiers(event));
  }, { passive: false });
}

// In px of the page.
function point(x, y) { Module._headlight_pointer(x * ratio(), y * ratio()); }
function turnWheel(lines, held = 0) {
  Module._headlight_modifiers(held);
  Module._headlight_wheel(lines);
  Module._headlight_modifiers(0);
  ask();
}

// ---- Fingers

const fingertip = 44, trembles = 8, pressesLong = 550; // px, px, ms
const rowOfList = 60; // px: what is higher is a map or a text, which a finger draws on
const lineOfList = 48; // px that the program moves a list for a line of the wheel

// The control that a finger means: the one under it, or the nearest within half a fingertip of its middle each way. In px of the page.
function meantBy(x, y) {
  let best = null;
  for (const box of reachable) {
    const [left, top, w, h] = box.map((px) => px / ratio());
    const dx = Math.max(left - x, x - (left + w), 0), dy = Math.max(top - y, y - (top + h), 0), far = Math.hypot(dx, dy);
    if (dx > Math.max(0, (fingertip - w) / 2) || dy > Math.max(0, (fingertip - h) / 2) || (best && far >= best.far)) continue;
    best = { far, h, x: Math.min(Math.max(x, left + 1), left + w - 1), y: Math.min(Math.max(y, top + 1), top + h - 1) };
  }
  return best;
}

// One finger taps, drags on maps and texts, moves lists, and pressed long asks for the menu; two zoom, or move what the wheel moves.
function connectFingers(canvas) {
  const fingers = new Map(); // where each is
  let held = 0, pressed = false, does = ''; // 'rests', 'drags', 'scrolls'
  let start = null, meant = null, apart = 0, middle = null;
  const press = (down, which = 0) => Module._headlight_button(which, down ? 1 : 0, 0);
  const letGo = (x, y) => { // without a click
    if (!pressed) return;
    pressed = false;
    Module._headlight_leave();
    press(false);
    point(x, y);
  };
  const two = () => { const [a, b] = [...fingers.values()]; return { far: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }; };

  canvas.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch') return;
    page.touched = true;
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    clearTimeout(held);
    if (fingers.size === 1) {
      start = { x: event.offsetX, y: event.offsetY };
      meant = meantBy(start.x, start.y);
      does = 'rests';
      pressed = true;
      point(meant?.x ?? start.x, meant?.y ?? start.y);
      press(true);
      held = setTimeout(() => {
        if (does !== 'rests' || !pressed) return;
        pressed = false;
        press(false);
        press(true, 1);
        press(false, 1);
        ask();
      }, pressesLong);
    } else if (fingers.size === 2) {
      const { far, x, y } = two();
      letGo(x, y);
      does = '';
      apart = far;
      middle = { x, y };
    }
    ask();
  });
  canvas.addEventListener('pointermove', (event) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const dy = event.offsetY - finger.y;
    finger.x = event.offsetX;
    finger.y = event.offsetY;
    if (fingers.size === 2) {
      const { far, x, y } = two();
      point(x, y);
      if (Math.abs(far - apart) > 12) { turnWheel(Math.sign(far - apart), 1); apart = far; }
      else if (Math.abs(y - middle.y) > 4) { turnWheel((y - middle.y) / lineOfList); middle = { x, y }; }
      return;
    }
    const [across, down] = [finger.x - start.x, finger.y - start.y];
    if (does === 'rests' && Math.hypot(across, down) > trembles) {
      does = !meant || (meant.h <= rowOfList && Math.abs(down) > Math.abs(across)) ? 'scrolls' : 'drags';
      if (does === 'scrolls') letGo(start.x, start.y);
    }
    if (does === 'drags') { point(finger.x, finger.y); ask(); }
    if (does === 'scrolls') turnWheel(dy / lineOfList);
  });
  for (const ended of ['pointerup', 'pointercancel'])
    canvas.addEventListener(ended, (event) => {
      if (event.pointerType !== 'touch') return;
      clearTimeout(held);
      fingers.delete(event.pointerId);
      if (fingers.size > 0) return;
      if (pressed) { pressed = false; press(false); }
      Module._headlight_leave();
      ask();
    });
}
