/** Allows only this server's own style and icon: the pages have no scripts, forms or images. */
const CONTENT_SECURITY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; base-uri 'none'"

/**
 * A page of text with a heading, as HTML. `style` and `script` are the addresses of its style sheets
 * and its script, `body` is HTML.
 */
export const htmlPage = (
  { title, style, script }: { title: string; style: string | string[]; script?: string },
  body: string,
): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>${Bun.escapeHTML(title)}</title>
${[style]
  .flat()
  .map((href) => `    <link rel="stylesheet" href="${href}" />`)
  .join('\n')}
  </head>
  <body>
    <main>
${body}
    </main>${script === undefined ? '' : `\n    <script src="${script}"></script>`}
  </body>
</html>
`

/** Style sheet of these pages, for light and dark, narrow and wide screens. */
export const PAGE_STYLE = `:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif; --line: #8885; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8) }
body { margin: 0; background: Canvas; color: CanvasText }
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; overflow-wrap: break-word }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 1rem }
h2 { font-size: 1.3rem; margin: 2.25rem 0 0.75rem; padding-bottom: 0.25rem; border-bottom: 1px solid var(--line) }
h3 { font-size: 1.05rem; margin: 1.75rem 0 0.5rem }
ul, ol { padding-left: 1.4rem }
li { margin: 0.35rem 0 }
a { color: var(--link) }
code { font: 0.9em/1.5 ui-monospace, 'Cascadia Code', Menlo, Consolas, monospace; background: var(--soft); border-radius: 4px; padding: 0.1em 0.3em }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: 0.9rem 1rem; overflow-x: auto }
pre code { background: none; padding: 0 }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.8rem 0.4rem 0; border-bottom: 1px solid var(--line) }
`

const headersOf = (type: string): Record<string, string> => ({
  'content-type': `${type};charset=utf-8`,
  'content-security-policy': CONTENT_SECURITY,
})

/** Headers of these pages. */
const HTML_HEADERS = headersOf('text/html')

/** Headers of their style sheet. */
export const STYLE_HEADERS = headersOf('text/css')

/** Responds with a page that is not kept. */
export const htmlResponse = (
  page: string,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): Response =>
  new Response(page, {
    status,
    headers: { ...HTML_HEADERS, 'cache-control': 'no-store', ...headers },
  })
