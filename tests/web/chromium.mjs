// Debian's Chromium without a window, driven over two pipes: pages are opened, pressed, asked and looked at.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Browser } from './browser.mjs';

export class Chromium extends Browser {
  static async open({ width = 1280, height = 720, ratio = 1, touch = false, dark = false, downloads = null } = {}) {
    const browser = new Chromium();
    browser.folder = mkdtempSync(join(tmpdir(), 'headlight-chromium-'));
    browser.process = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--no-first-run', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--disable-domain-reliability', '--disable-features=Translate,OptimizationHints,MediaRouter', '--allow-file-access-from-files=false', '--hide-scrollbars', '--font-render-hinting=none',
      `--user-data-dir=${browser.folder}`, '--remote-debugging-pipe', 'about:blank'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    browser.listen();
    const { targetInfos } = await browser.ask('Target.getTargets');
    const target = targetInfos.find((one) => one.type === 'page');
    browser.session = (await browser.ask('Target.attachToTarget', { targetId: target.targetId, flatten: true })).sessionId;
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await browser.ask(`${domain}.enable`);
    await browser.ask('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: ratio, mobile: touch });
    if (touch) await browser.ask('Emulation.setTouchEmulationEnabled', { enabled: true });
    if (dark) await browser.ask('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: 'dark' }] });
    if (downloads) await browser.ask('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: downloads }, false);
    return browser;
  }

  listen() {
    let rest = Buffer.alloc(0);
    this.process.stdio[4].on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
        this.take(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
  }
  take(message) {
    if (message.id) {
      const { take, fail } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      return message.error ? fail(new Error(message.error.message)) : take(message.result);
    }
    const what = message.params;
    if (message.method === 'Runtime.consoleAPICalled') this.said.push(what.args.map((one) => one.value ?? one.description).join(' '));
    if (message.method === 'Runtime.exceptionThrown') this.errors.push(what.exceptionDetails.exception?.description ?? what.exceptionDetails.text);
    // What the browser says where a page that nobody has touched is left is no error of the page's.
    if (message.method === 'Log.entryAdded' && what.entry.level === 'error' && !what.entry.text.includes("a 'beforeunload' confirmation")) this.errors.push(what.entry.text);
    if (message.method === 'Network.requestWillBeSent') this.requests.push(what.request.url);
    if (message.method === 'Page.fileChooserOpened' && this.chosen) this.ask('DOM.setFileInputFiles', { files: this.chosen, backendNodeId: what.backendNodeId });
    // A page asks before unsaved work goes: whoever closes the tab says yes.
    if (message.method === 'Page.javascriptDialogOpening') this.ask('Page.handleJavaScriptDialog', { accept: true });
  }
  ask(method, params = {}, ofPage = true) {
    const id = ++this.last;
    const message = { id, method, params };
    if (this.session && ofPage && !method.startsWith('Target.')) message.sessionId = this.session;
    this.process.stdio[3].write(JSON.stringify(message) + '\0');
    return this.answer(id, method);
  }

  async go(url) {
    await this.ask('Page.navigate', { url });
  }
  // The value of an expression in the page; a promise's, once it is kept.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.ask('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  // What the page's next question for files is answered with: files, or one folder.
  async choose(paths, folder) {
    this.chosen = paths;
    await this.ask('Page.setInterceptFileChooserDialog', { enabled: true });
    await this.ask('Runtime.evaluate', { expression: `Module.page.choose(${folder})`, userGesture: true });
  }
  async move(x, y) { await this.ask('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y }); }
  async click(x, y, button = 'left', clickCount = 1) {
    await this.move(x, y);
    for (const type of ['mousePressed', 'mouseReleased']) await this.ask('Input.dispatchMouseEvent', { type, x, y, button, clickCount });
  }
  async tap(x, y) {
    await this.ask('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await this.ask('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }
  async wheel(x, y, deltaY) { await this.ask('Input.dispatchMouseEvent', { type: 'mouseWheel', x, y, deltaX: 0, deltaY }); }
  // A key by what it gives ("a", "Enter"), where it lies ("KeyA") and what is held: 1 Alt, 2 Ctrl, 8 Shift.
  async press(key, code, modifiers = 0) {
    const text = key.length === 1 && !(modifiers & 2) ? key : undefined;
    const number = key.length === 1 ? key.toUpperCase().charCodeAt(0) : { Enter: 13, Escape: 27, Tab: 9, ArrowRight: 39, ArrowLeft: 37, ArrowUp: 38, ArrowDown: 40, F5: 116, Backspace: 8 }[key] ?? 0;
    const common = { key, code, modifiers, windowsVirtualKeyCode: number };
    await this.ask('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', text, ...common });
    await this.ask('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
  }
  async type(text) { await this.ask('Input.insertText', { text }); }
  async screenshot(path) {
    const { data } = await this.ask('Page.captureScreenshot', { format: 'png' });
    writeFileSync(path, Buffer.from(data, 'base64'));
  }
  async close() {
    try { await this.ask('Browser.close', {}, false); } catch { this.process.kill('SIGKILL'); }
    await new Promise((go) => (this.process.exitCode !== null ? go() : this.process.on('exit', go)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
