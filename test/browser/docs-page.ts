import type { BrowserContext, Locator, Page, Request } from 'playwright-core';

/** The request that "Try it out" sent, and what the page showed of the response. */
export interface Tried {
  readonly request: Request;
  /** As the page shows it. */
  readonly status: string;
  /** The response body as the page shows it, character by character. */
  readonly body: string;
  /** The response headers as the page shows them, one per line. */
  readonly headers: string;
}

/** The page at `/docs`, driven by the controls that a person uses. Its errors are recorded. */
export class DocsPage {
  /** Errors on the console, exceptions, and violations of the content security policy. */
  readonly troubles: string[] = [];
  readonly requests: Request[] = [];

  private constructor(readonly page: Page) {
    page.on('request', (request) => this.requests.push(request));
    page.on('pageerror', (error) => this.troubles.push(String(error.stack)));
    page.on('console', (message) => {
      // Chromium logs every failed response. The 4xx of the API are what the tests ask for.
      if (message.location().url.includes('/v1/') && message.text().startsWith('Failed to load resource')) return;
      if (message.type() === 'error' || message.type() === 'warning') this.troubles.push(message.text());
    });
  }

  /** Opens the page in a new tab and waits until the operations are shown. */
  static async open(context: BrowserContext, url: string): Promise<DocsPage> {
    const docs = new DocsPage(await context.newPage());
    await docs.page.addInitScript(
      `addEventListener('securitypolicyviolation', (event) => console.error('CSP: ' + event.violatedDirective))`,
    );
    await docs.page.goto(url);
    await docs.untilShown();
    return docs;
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.untilShown();
  }

  /** One operation by its operationId. */
  operation(id: string): Locator {
    return this.page.locator('.opblock', { has: this.page.locator(`.opblock-summary-operation-id:text-is("${id}")`) });
  }

  async authorize(key: string): Promise<void> {
    await this.page.locator('.auth-wrapper .btn.authorize').click();
    const dialog = this.page.locator('.modal-ux');
    await dialog.locator('input').fill(key);
    await dialog.locator('button.authorize').click();
    await dialog.locator('.btn-done').click();
  }

  async logOut(): Promise<void> {
    await this.page.locator('.auth-wrapper .btn.authorize').click();
    const dialog = this.page.locator('.modal-ux');
    await dialog.locator('button', { hasText: 'Logout' }).click();
    await dialog.locator('.btn-done').click();
  }

  /**
   * Executes an operation with the values of its form, and reads what the page then shows.
   *
   * @param fill values to enter first, by the label of the field: the name of a parameter, or `body` for the request
   * body.
   */
  async execute(id: string, fill: Readonly<Record<string, string>> = {}): Promise<Tried> {
    const sent = this.page.waitForRequest((request) => request.url().includes('/v1/'));
    const operation = await this.press(id, fill);
    const request = await sent;
    const shown = operation.locator('.live-responses-table tbody');
    const status = await shown.locator('.response-col_status').first().innerText();
    const body = await shown.locator('.highlight-code code').first().innerText();
    const headers = await shown.locator('.headerline').allInnerTexts();
    return { request, status: status.trim(), body, headers: headers.map((line) => line.trim()).join('\n') };
  }

  /** Executes an operation that gets no answer, and reads the message of the page. */
  async executeInVain(id: string): Promise<string> {
    const operation = await this.press(id, {});
    return operation.locator('.live-responses-table .renderedMarkdown').innerText();
  }

  /**
   * Saves a picture of the whole page in `artifacts/` for a person to look at. A page this long takes seconds as PNG.
   */
  async photograph(name: string): Promise<void> {
    await this.page.screenshot({ path: `artifacts/browser/${name}.jpeg`, quality: 60, fullPage: true });
  }

  /** Opens an operation, fills its form and presses Execute. */
  private async press(id: string, fill: Readonly<Record<string, string>>): Promise<Locator> {
    const operation = this.operation(id);
    const button = operation.locator('.btn.execute');
    if (!(await button.isVisible())) await operation.locator('.opblock-summary-control').click();
    for (const [field, text] of Object.entries(fill)) await fieldOf(operation, field).fill(text);
    const clear = operation.locator('.btn-clear');
    if (await clear.isVisible()) await clear.click();
    await button.click();
    return operation;
  }

  private untilShown(): Promise<void> {
    return this.page.locator('.opblock').first().waitFor();
  }
}

function fieldOf(operation: Locator, field: string): Locator {
  return field === 'body'
    ? operation.locator('.body-param__text')
    : operation.locator(`tr[data-param-name="${field}"] input`);
}
