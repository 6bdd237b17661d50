import type { Link, ShownAs } from './links'
import type { PageHeading } from './markdown'
import { SOURCES } from './pages'

/** A page of the site, before it is put between the parts that all pages have. */
export interface SitePage {
  name: string
  title: string
  description: string
  /** HTML. */
  body: string
  headings: PageHeading[]
}

/** The pages of the sidebar by their groups; the API reference is one of them. */
export function groupsOf(): [group: string, pages: { name: string; title: string }[]][] {
  const listed = SOURCES.filter(({ group }) => group !== null)
  return [...Map.groupBy(listed, ({ group }) => group ?? '')].map(([group, pages]) => [
    group,
    [
      ...pages.map(({ name, title }) => ({ name, title })),
      ...(group === 'Connect' ? [{ name: 'reference', title: 'API reference' }] : []),
    ],
  ])
}

const { escapeHTML } = Bun

/** Whether a page is shown as the current one while another one, below it, is read. */
const isWithin = (name: string, current: string): boolean =>
  name === current || current.startsWith(`${name}/`)

const sidebar = (current: string, link: Link): string =>
  groupsOf()
    .map(
      ([group, pages]) => `<h2>${escapeHTML(group)}</h2>
<ul>${pages
        .map(
          ({ name, title }) =>
            `<li><a href="${link(name)}"${isWithin(name, current) ? ' aria-current="page"' : ''}>${escapeHTML(title)}</a></li>`,
        )
        .join('')}</ul>`,
    )
    .join('\n')

const contents = (headings: readonly PageHeading[]): string =>
  headings.length < 2
    ? ''
    : `<aside class="contents"><nav aria-label="On this page"><h2>On this page</h2><ul>${headings
        .map(
          ({ id, level, text }) =>
            `<li class="level${level}"><a href="#${id}">${text.replaceAll(/<\/?a\b[^>]*>/g, '')}</a></li>`,
        )
        .join('')}</ul></nav></aside>`

/** Links to the pages before and after this one, in the order of the sidebar. */
function neighbors(current: string, link: Link): string {
  const all = groupsOf().flatMap(([, pages]) => pages)
  const at = all.findIndex(({ name }) => name === current)
  if (at === -1) return ''
  const linkTo = (offset: number, rel: string, word: string): string => {
    const page = all[at + offset]
    return page
      ? `<a rel="${rel}" href="${link(page.name)}"><small>${word}</small> ${escapeHTML(page.title)}</a>`
      : '<span></span>'
  }
  return `<nav class="neighbors" aria-label="Previous and next">${linkTo(-1, 'prev', 'Previous')}${linkTo(1, 'next', 'Next')}</nav>`
}

/**
 * Returns a page of the documentation as HTML. Pages of a server are not for search engines. Those
 * in files are; `url` is the address at which their folder will be, if it is known.
 */
export function layOut(
  page: SitePage,
  { place, link, url }: { place: ShownAs; link: Link; url: string | null },
): string {
  const { name, title, description, body, headings } = page
  const own = `${name === '' ? 'index' : name}.html`
  const address = url === null ? own.split('/').at(-1) : `${url}/${own}`
  const heads =
    place === 'server'
      ? '<meta name="robots" content="noindex" />'
      : `<link rel="canonical" href="${address}" />\n<link rel="icon" href="data:," />`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
${heads}
<title>${escapeHTML(title)} · Switchboard</title>
<meta name="description" content="${escapeHTML(description)}" />
<link rel="stylesheet" href="${link('site.css')}" />
<script src="${link('site.js')}" data-first="${link('')}" data-place="${place}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="brand" href="${link('')}">Switchboard <span>Documentation</span></a>
<button type="button" class="find" hidden>Search <kbd>/</kbd></button>
<a class="menu" href="#pages">Pages</a>
</header>
<div class="frame">
<nav class="pages" id="pages" aria-label="Pages">
<a class="menu" href="#main">Close</a>
${sidebar(name, link)}
</nav>
<main id="main">
<article>
${body}
</article>
${neighbors(name, link)}
</main>
${contents(headings)}
</div>
</body>
</html>
`
}
