import { Elysia } from 'elysia'

import { GUIDES } from './guides'
import { htmlPage } from './html'
import { slugOf, type TagLines } from './openapi/tag-document'

const STYLES = ['home.css', 'docs/operations.css']

const countOf = (tags: TagLines[]): number =>
  tags.reduce((sum, { operations }) => sum + operations.length, 0)

const { escapeHTML } = Bun

function sectionOf({ tag, description, operations }: TagLines): string {
  const slug = slugOf(tag)
  const rows = operations.map(
    ({ id, method, path, summary }) =>
      `  <li id="${id}"><a href="docs/reference/${slug}#/${encodeURIComponent(tag)}/${id}"><b class="${method.toLowerCase()}">${method}</b> <code>${escapeHTML(path)}</code> <span>${escapeHTML(summary)}</span></a></li>`,
  )
  return `<section id="${slug}">
<h2><a href="docs/reference/${slug}">${escapeHTML(tag)}</a></h2>
<p>${escapeHTML(description)}</p>
<ul>
${rows.join('\n')}
</ul>
</section>`
}

/**
 * Returns the page that lists all operations, each with a link to its description. `description` is
 * Markdown. All links are relative, so that the page also works below a path of a reverse proxy.
 */
export const operationsPage = (description: string, tags: TagLines[]): string =>
  htmlPage(
    { title: 'Switchboard API', style: STYLES, script: 'docs/operations.js' },
    `<p><a href="./">Switchboard</a></p>
<h1>API reference</h1>
${Bun.markdown.html(description).replaceAll('href="/', 'href="')}
<p>Open an operation to see its fields, responses and examples, and to try it. For generators, the whole API is in <a href="openapi.json">openapi.json</a>.</p>
<p>Guides: ${GUIDES.map(({ name, title }) => `<a href="docs/${name}">${title}</a>`).join(' · ')}</p>
<search hidden><input type="search" aria-label="Filter operations" placeholder="Filter by name, path or method" autofocus /> <output>${countOf(tags)} operations</output></search>
<nav>${tags.map(({ tag }) => `<a href="#${slugOf(tag)}">${escapeHTML(tag)}</a>`).join(' ')}</nav>
${tags.map(sectionOf).join('\n')}`,
  )

/** Filters the list by words, of which each must occur in an operation. */
export const OPERATIONS_SCRIPT = `const search = document.querySelector('search')
const output = search.querySelector('output')
const all = [...document.querySelectorAll('section li')].map((item) => ({
  item,
  text: (item.id + ' ' + item.textContent + ' ' + item.closest('section').id).toLowerCase(),
}))
const filter = ({ value }) => {
  const words = value.toLowerCase().split(/\\s+/)
  let shown = 0
  for (const { item, text } of all) {
    item.hidden = !words.every((word) => text.includes(word))
    if (!item.hidden) shown += 1
  }
  for (const section of document.querySelectorAll('section'))
    section.hidden = !section.querySelector('li:not([hidden])')
  document.querySelector('nav').hidden = shown < all.length
  output.textContent = shown === all.length ? shown + ' operations' : shown + ' of ' + all.length + ' operations'
}
const input = search.querySelector('input')
input.addEventListener('input', () => filter(input))
search.hidden = false
if (input.value !== '') filter(input)
`

export const OPERATIONS_STYLE = `main { max-width: 64rem }
[hidden] { display: none }
search { position: sticky; top: 0; z-index: 1; padding: 0.75rem 0; background: Canvas }
search:not([hidden]) { display: flex; gap: 1rem; align-items: center }
input { flex: 1; font: inherit; padding: 0.5rem 0.75rem; border: 1px solid var(--line); border-radius: 8px; background: var(--soft); color: inherit }
nav a { display: inline-block; margin-right: 0.75rem }
section { scroll-margin-top: 5.5rem }
section h2 { border: 0; margin-bottom: 0 }
section h2 a { color: inherit; text-decoration: none }
section p { margin: 0 0 0.5rem; opacity: 0.8 }
section ul { list-style: none; margin: 0; padding: 0 }
section li { margin: 0; border-top: 1px solid var(--line) }
section li a { display: grid; grid-template-columns: 4rem minmax(0, 3fr) minmax(0, 2fr); gap: 0 0.75rem; padding: 0.3rem 0.25rem; align-items: baseline; color: inherit; text-decoration: none }
section li a:hover, section li a:focus { background: var(--soft) }
section li b { font: 600 0.75rem/1.6 ui-monospace, Menlo, Consolas, monospace; color: light-dark(#555, #bbb) }
section li b.get { color: light-dark(#0b57d0, #8ab4f8) }
section li b.post { color: light-dark(#146c2e, #7dd491) }
section li b.put { color: light-dark(#8a5000, #f2b866) }
section li b.delete { color: light-dark(#b3261e, #f2938c) }
section li code { background: none; padding: 0 }
@media (width < 40rem) { section li a { grid-template-columns: 4rem 1fr } section li span { grid-column: 2; opacity: 0.8 } }
`

const VIEWER = { script: '../swagger-ui-bundle.js', style: '../swagger-ui.css' }

/** The script that starts the viewer stands in its page, so the policy of the page permits it by its digest. */
export interface ReferencePage {
  html: string
  scriptDigest: string
}

/**
 * The page of one tag: the viewer of the swagger plugin, with files of this server instead of those
 * of a foreign one. No validator, no fonts, no pictures from elsewhere.
 */
export async function referencePage(tag: string): Promise<ReferencePage> {
  const { swagger } = await import('@elysiajs/swagger')
  const page = new Elysia().use(
    swagger({
      path: '/page',
      specPath: `../documents/${slugOf(tag)}`, // from the page that is shown
      provider: 'swagger-ui',
      theme: VIEWER.style,
      documentation: {
        info: { title: `${escapeHTML(tag)} · Switchboard API`, version: '', description: '' },
      },
      swaggerOptions: {
        deepLinking: true,
        docExpansion: 'list',
        defaultModelsExpandDepth: -1,
        validatorUrl: 'none',
        persistAuthorization: false,
      },
    }),
  )
  const written = await page.handle(new Request('http://localhost/page'))
  let script = ''
  const html = new HTMLRewriter()
    .on('script[src]', { element: (element) => void element.setAttribute('src', VIEWER.script) })
    .on('script:not([src])', { text: ({ text }) => void (script += text) })
    .on('#swagger-ui', { element: (element) => void element.before(BACK, { html: true }) })
    .transform(await written.text())
  return { html, scriptDigest: new Bun.CryptoHasher('sha256').update(script).digest('base64') }
}

const BACK = '<p class="swagger-ui"><a class="link" href="../../docs">All operations</a></p>'
