// What the drivers of both browsers have: what the page said, and waiting for it.
export const patience = 120000; // ms that an answer may take
export const wait = (ms) => new Promise((go) => setTimeout(go, ms));

export class Browser {
  // What the page wrote on its console, what went wrong in it, and what it asked any server for, where the browser tells.
  said = [];
  errors = [];
  requests = [];
  waiting = new Map();
  last = 0;

  // What comes of a question with this number.
  answer(id, method) {
    return new Promise((take, fail) => {
      const late = setTimeout(() => fail(new Error(`${method}: no answer`)), patience);
      this.waiting.set(id, { take: (result) => { clearTimeout(late); take(result); }, fail: (error) => { clearTimeout(late); fail(error); } });
    });
  }
  async until(expression, ms = 30000) {
    const end = Date.now() + ms;
    for (;;) {
      if (await this.evaluate(`(() => { try { return ${expression}; } catch { return false; } })()`)) return;
      if (Date.now() > end) throw new Error(`not within ${ms} ms: ${expression}`);
      await wait(30);
    }
  }
}
