// Debian's Firefox on a screen of its own (without one it has no WebGL), driven by Marionette (a line of JSON with its length before it): as chromium.mjs, for what both do.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Browser, patience, wait } from './browser.mjs';

// Nothing of its own over any network, no questions, WebGL without a graphics card.
const settings = {
  'webgl.force-enabled': true, 'webgl.forbid-software': false, 'browser.shell.checkDefaultBrowser': false, 'browser.startup.page': 0,
  'browser.startup.homepage_override.mstone': 'ignore', 'browser.aboutwelcome.enabled': false, 'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false, 'network.captive-portal-service.enabled': false, 'network.connectivity-service.enabled': false,
  'app.update.enabled': false, 'extensions.update.enabled': false, 'browser.safebrowsing.malware.enabled': false, 'browser.safebrowsing.phishing.enabled': false,
  'app.normandy.enabled': false, 'services.settings.server': 'data:,', 'browser.region.update.enabled': false, 'network.dns.disablePrefetch': true,
  'network.prefetch-next': false, 'dom.disable_beforeunload': true, 'browser.download.folderList': 2, 'browser.download.useDownloadDir': true,
  'browser.download.always_ask_before_handling_new_types': false, 'marionette.port': 0,
};

export class Firefox extends Browser {
  static async open({ width = 1280, height = 720, ratio = 1, dark = false, downloads = null } = {}) {
    const browser = new Firefox();
    browser.folder = mkdtempSync(join(tmpdir(), 'headlight-firefox-'));
    const all = { ...settings, 'layout.css.devPixelsPerPx': String(ratio), 'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1 };
    if (downloads) all['browser.download.dir'] = downloads;
    writeFileSync(join(browser.folder, 'user.js'), Object.entries(all).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
    browser.process = spawn('xvfb-run', ['-a', '-s', '-screen 0 2560x1600x24', 'firefox-esr', '--marionette', '--no-remote', '--profile', browser.folder, 'about:blank'],
      { stdio: 'ignore', env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1', GALLIUM_DRIVER: 'llvmpipe' } });
    const told = join(browser.folder, 'MarionetteActivePort');
    for (const end = Date.now() + patience; !existsSync(told) || !readFileSync(told, 'utf8').trim();) {
      if (Date.now() > end) throw new Error('Firefox does not start');
      await wait(100);
    }
    await browser.listen(Number(readFileSync(told, 'utf8')));
    await browser.ask('WebDriver:NewSession', { capabilities: { alwaysMatch: { acceptInsecureCerts: false } } });
    await browser.ask('WebDriver:SetTimeouts', { script: patience, pageLoad: patience });
    // What a window has of its own (bars) is no part of the page.
    const outer = await browser.ask('WebDriver:SetWindowRect', { width, height });
    const [w, h] = await browser.evaluate('[innerWidth, innerHeight]');
    await browser.ask('WebDriver:SetWindowRect', { width: outer.width + width - w, height: outer.height + height - h });
    return browser;
  }

  async listen(port) {
    this.line = connect(port, '127.0.0.1');
    let rest = Buffer.alloc(0);
    this.line.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        const colon = rest.indexOf(58), size = Number(rest.subarray(0, colon).toString());
        if (colon < 0 || rest.length < colon + 1 + size) return;
        this.take(JSON.parse(rest.subarray(colon + 1, colon + 1 + size).toString()));
        rest = rest.subarray(colon + 1 + size);
      }
    });
    this.line.on('error', () => {});
    await new Promise((go) => { this.greeted = go; });
  }
  take(message) {
    if (!Array.isArray(message)) return this.greeted();
    const [, id, error, result] = message, { take, fail } = this.waiting.get(id);
    this.waiting.delete(id);
    error ? fail(new Error(`${error.error}: ${error.message}`)) : take(result);
  }
  ask(method, params = {}) {
    const id = ++this.last, text = Buffer.from(JSON.stringify([0, id, method, params]));
    this.line.write(Buffer.concat([Buffer.from(`${text.length}:`), text]));
    return this.answer(id, method);
  }

  async go(url) {
    await this.ask('WebDriver:Navigate', { url });
  }
  // The value of an expression in the page; a promise's, once it is kept.
  async evaluate(expression) {
    const script = `const done = arguments[arguments.length - 1];
      (window.wrappedJSObject ?? window).eval('(async () => { try { return JSON.stringify({ value: await (' + arguments[0] + ') }); } catch (error) { return JSON.stringify({ error: String(error.stack ?? error) }); } })()')
        .then(done);`;
    const { value } = await this.ask('WebDriver:ExecuteAsyncScript', { script, args: [expression], newSandbox: true });
    const answer = JSON.parse(value);
    if (answer.error) throw new Error(answer.error);
    return answer.value;
  }
  async pointer(...actions) {
    await this.ask('WebDriver:PerformActions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }] });
  }
  async move(x, y) { await this.pointer({ type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0, origin: 'viewport' }); }
  async click(x, y, button = 'left') {
    const which = { left: 0, middle: 1, right: 2 }[button];
    await this.pointer({ type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0, origin: 'viewport' }, { type: 'pointerDown', button: which }, { type: 'pointerUp', button: which });
  }
  // As chromium.mjs has it: 1 Alt, 2 Ctrl, 8 Shift are held.
  async press(key, _code, modifiers = 0) {
    const named = { Enter: '\uE007', Escape: '\uE00C', Tab: '\uE004', ArrowRight: '\uE014', ArrowLeft: '\uE012', ArrowUp: '\uE013', ArrowDown: '\uE015', F5: '\uE035', Backspace: '\uE003' };
    const held = [[1, '\uE00A'], [2, '\uE009'], [8, '\uE008']].filter(([bit]) => modifiers & bit).map(([, value]) => value);
    const value = named[key] ?? key;
    await this.ask('WebDriver:PerformActions', { actions: [{ type: 'key', id: 'keys', actions: [
      ...held.map((one) => ({ type: 'keyDown', value: one })), { type: 'keyDown', value }, { type: 'keyUp', value }, ...held.map((one) => ({ type: 'keyUp', value: one }))] }] });
  }
  async screenshot(path) {
    const { value } = await this.ask('WebDriver:TakeScreenshot', { full: false, hash: false });
    writeFileSync(path, Buffer.from(value, 'base64'));
  }
  async close() {
    try { await this.ask('Marionette:Quit', { flags: ['eForceQuit'] }); } catch { this.process.kill('SIGKILL'); }
    await new Promise((go) => (this.process.exitCode !== null || this.process.signalCode !== null ? go() : this.process.on('exit', go)));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
