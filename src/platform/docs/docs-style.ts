/** The page's own style, beside Swagger UI's. */
export const docsStyle = `
html { box-sizing: border-box; overflow-y: scroll; }
*, *::before, *::after { box-sizing: inherit; }
body { margin: 0; background: #fafafa; color: #3b4151; font-family: sans-serif; line-height: 1.5; }
.docs-header { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; background: #1f3a2d; color: #fff;
  padding: 12px max(20px, calc(50% - 710px)); }
.docs-header h1 { margin: 0; font-size: 24px; }
.docs-header p { margin: 0 0 0 auto; color: #d5e3da; font-size: 14px; }
.docs-header a { color: inherit; }
.docs-guide { padding: 20px max(20px, calc(50% - 710px)) 40px; }
.docs-guide ol { display: grid; grid-template-columns: repeat(auto-fit, minmax(260px, 1fr)); gap: 16px; margin: 0;
  padding: 0; list-style: none; counter-reset: step; }
.docs-guide li { padding: 14px 18px; background: #fff; border: 1px solid #d8dde3; border-radius: 6px;
  counter-increment: step; }
.docs-guide h2 { margin: 0 0 4px; font-size: 16px; }
.docs-guide h2::before { content: counter(step) ". "; color: #2f6b4a; }
.docs-guide p { margin: 0; font-size: 14px; }
.docs-guide code { padding: 1px 4px; background: #eef1f4; border-radius: 3px; font-size: 13px; overflow-wrap: anywhere; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .scheme-container { margin: 0; padding: 14px 0; box-shadow: none; border-bottom: 1px solid #d8dde3; }
.swagger-ui .docs-failure button { padding: 8px 0; border: 0; background: none; color: inherit; font: inherit; text-align: left;
  cursor: pointer; }
.swagger-ui .docs-failure button::before { content: "\\25b8  "; }
.swagger-ui .docs-failure td { padding: 0 10px 0 0; vertical-align: middle; }
.swagger-ui .response-col_links > i { display: none; }
.swagger-ui .responses-table:not(:has(.operation-link, .response-col_links pre)) .response-col_links { display: none; }
.swagger-ui .highlight-code > pre, .swagger-ui .curl-command pre { padding-bottom: 52px !important; }
.swagger-ui .btn.cancel, html.dark-mode .swagger-ui .opblock .opblock-section-header .btn.cancel { border-color: #8a93a0;
  color: inherit; font-weight: 400; }
.swagger-ui .parameter__extension { color: inherit; }
.swagger-ui .markdown code { color: inherit; font-weight: 400; }
.swagger-ui .docs-key label { display: block; margin: 8px 0 4px; font-weight: 600; }
.swagger-ui .docs-key input { width: 100%; max-width: none; }
.swagger-ui .docs-key p { margin: 4px 0 0; font-size: 13px; }
.swagger-ui .opblock.opblock-deprecated { opacity: 1; }
.swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #6b7280; }
.swagger-ui .docs-items { text-transform: none; }
.swagger-ui .docs-headers { margin: 10px 0; font-size: 12px; }
.swagger-ui .docs-headers summary { cursor: pointer; }
.swagger-ui .docs-headers .headers__title { display: none; }
.swagger-ui .docs-headers .headers td { color: inherit; }
.swagger-ui :focus-visible { outline: 2px solid currentColor !important; outline-offset: 2px; }
@media (prefers-color-scheme: dark) {
  body { background: #1c2022; color: #e4e6e6; }
  .docs-guide li { background: #2a2e30; border-color: #545d61; }
  .docs-guide h2::before { color: #7fce9f; }
  .docs-guide code { background: #080a0b; }
  html.dark-mode .swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #a3a9b2; }
  .swagger-ui .scheme-container { border-color: #545d61; }
}
@media not (prefers-color-scheme: dark) {
  .swagger-ui .info a { color: #1b65b8; }
  .swagger-ui .btn.authorize { border-color: #1a7f4e; color: #1a7f4e; }
  .swagger-ui .btn.authorize svg { fill: #1a7f4e; }
  .swagger-ui .btn.execute { background-color: #1b65b8; border-color: #1b65b8; }
  .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1b65b8; }
  .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1a7f4e; }
  .swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5200; }
  .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6e5b; }
  .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
  .swagger-ui .parameter__in, .swagger-ui .json-schema-2020-12-expand-deep-button { color: #5b6270; }
  .swagger-ui .download-contents { background: #5b6270; }
}
@media (max-width: 640px) {
  .docs-header p { margin-left: 0; }
  .swagger-ui .responses-table :is(tbody, tr, td), .swagger-ui .responses-table { display: block; width: auto; }
  .swagger-ui .responses-table thead { display: none; }
  .swagger-ui .response-col_links pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
`;
