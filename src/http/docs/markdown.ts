import { highlight } from './highlight'

/** A heading of a page, for its list of contents. */
export interface PageHeading {
  id: string
  /** 2 or 3. */
  level: number
  /** HTML. */
  text: string
}

/** A page as HTML, with its headings. */
export interface Rendered {
  html: string
  headings: PageHeading[]
}

const ENTITIES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
}

/** Returns the text of a piece of HTML. */
export const textOf = (html: string): string =>
  html
    .replaceAll(/<!--.*?-->|<[^>]+>/gs, '')
    .replaceAll(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name] ?? '')

/** Returns a block of code that can be copied, with colors. What a terminal shows is not copied. */
export function codeBlock(code: string, language: string): string {
  const isOutput = language === 'console' || language === ''
  return `<div class="code"${isOutput ? '' : ' data-copy'}><pre tabindex="0"><code>${highlight(code, language)}</code></pre></div>`
}

/**
 * Rows of a table whose first cell is one word of code get it as their id, so that a link can lead to
 * a setting, a permission or an error. `ids` are those that the page has.
 */
function withRowIds(table: string, ids: Set<string>): string {
  return table.replaceAll(
    /<tr>(<td><code>([\w:.-]+)<\/code>)/g,
    (row, cell: string, id: string) => {
      if (ids.has(id)) return row
      ids.add(id)
      return `<tr id="${id}">${cell}`
    },
  )
}

/** Renders Markdown. `resolve` returns the address of a link, `null` if its text stays alone. */
export function renderMarkdown(
  text: string,
  resolve: (href: string) => string | null = (href) => href,
): Rendered {
  const headings: PageHeading[] = []
  const ids = new Set<string>()
  const html = Bun.markdown
    .html(text, { headings: { ids: true } })
    .replaceAll(/<!--.*?-->\n?/gs, '')
    .replaceAll(
      /<pre><code(?: class="language-([^"]*)")?>(.*?)<\/code><\/pre>/gs,
      (_whole, language: string | undefined, code: string) =>
        codeBlock(textOf(code), language ?? ''),
    )
    .replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, (_whole, href: string, inner: string) => {
      const target = resolve(href.replaceAll('&amp;', '&'))
      return target === null ? inner : `<a href="${Bun.escapeHTML(target)}">${inner}</a>`
    })
    .replaceAll(/<img src="([^"]*)"/g, (_whole, source: string) => {
      const target = resolve(source.replaceAll('&amp;', '&'))
      return `<img loading="lazy" src="${Bun.escapeHTML(target ?? source)}"`
    })
    .replaceAll(
      /<h([23]) id="([^"]+)">(.*?)<\/h\d>/gs,
      (whole, level: string, id: string, inner: string) => {
        headings.push({ id, level: Number(level), text: inner })
        ids.add(id)
        return whole
      },
    )
    .replaceAll(
      /<table>.*?<\/table>/gs,
      (table) =>
        `<div class="wide" role="region" aria-label="Table" tabindex="0">${withRowIds(table, ids)}</div>`,
    )
  return { html, headings }
}

/** Returns the first paragraph of Markdown as plain text, at most as long as search engines show. */
export function descriptionOf(text: string): string {
  const [paragraph = ''] = text
    .split('\n\n')
    .filter((part) => part.trim() !== '' && !/^[#<`|[\d-]/.test(part.trim()))
  const plain = textOf(Bun.markdown.html(paragraph)).replaceAll(/\s+/g, ' ').trim()
  return plain.length <= 160 ? plain : `${plain.slice(0, 157).replace(/ \S*$/, '')} …`
}
