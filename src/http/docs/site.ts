import { yieldEvery } from '../../infra/event-loop'
import { asyncApiDocument } from '../openapi/async-document'
import type { OpenApiDocument } from '../openapi/document'
import { operationsByTag, slugOf } from '../openapi/tag-document'
import { groupsOf, layOut, type SitePage } from './layout'
import { linksOf, resolveLink, type Link, type ShownAs } from './links'
import { descriptionOf, renderMarkdown } from './markdown'
import { MOVED, SOURCES, type GuideSource } from './pages'
import { PICTURES, pictureOf } from './pictures'
import { findOperation, operationPage, referencePage, tagPage } from './reference'
import { SITE_SCRIPT } from './script'
import { said } from './schema-fields'
import { searchIndex, type Searchable } from './search-index'
import { SITE_STYLE } from './style'

const { escapeHTML } = Bun

/** A page, a script or a style, as it is sent or written. */
export interface SiteFile {
  type: string
  text: string
}

const HTML = 'text/html;charset=utf-8'
const SCRIPT = 'text/javascript;charset=utf-8'

/** Files that are no pages, by their names. */
const ASSETS = ['site.css', 'site.js', 'search-index.js'] as const

const pageOfSource = (source: GuideSource, link: Link): SitePage => ({
  name: source.name,
  title: source.title,
  description: descriptionOf(source.text),
  ...bodyOf(source, link),
})

function bodyOf({ text, path }: GuideSource, link: Link): Pick<SitePage, 'body' | 'headings'> {
  const { html, headings } = renderMarkdown(text, (href) => resolveLink(href, path, link))
  return { body: html, headings }
}

/** The first page: all pages by their groups, with what they are about. */
function firstPage(link: Link): SitePage {
  const descriptions = new Map(SOURCES.map(({ name, text }) => [name, descriptionOf(text)]))
  const groups = groupsOf().map(
    ([group, pages]) => `<section><h2>${escapeHTML(group)}</h2>
<ul class="cards">${pages
      .map(
        ({ name, title }) =>
          `<li><a href="${link(name)}">${escapeHTML(title)}</a><p>${escapeHTML(descriptions.get(name) ?? 'Every operation with its fields, errors and examples.')}</p></li>`,
      )
      .join('\n')}</ul></section>`,
  )
  return {
    name: '',
    title: 'Documentation',
    description:
      'Switchboard is the server a company runs itself to talk to its customers on WhatsApp: guides, API reference and settings.',
    body: `<h1>Documentation</h1>
<p>Switchboard is the server a company runs itself to talk to its customers on WhatsApp. New here? Begin with <a href="${link('start')}">Start</a>. To connect your number, take <a href="${link('meta')}">15 minutes</a>. For programs there is the <a href="${link('reference')}">API reference</a>.</p>
${groups.join('\n')}`,
    headings: [],
  }
}

/** How a site is shown. */
interface Showing {
  place: ShownAs
  /** The address of the folder of files, without a slash at its end. */
  url: string | null
}

/** Returns a page of the API reference, `null` if there is none of this name. */
function pageOfReference(
  document: OpenApiDocument,
  name: string,
  { link, place }: { link: Link; place: ShownAs },
): SitePage | null {
  const [, slug = '', id, ...more] = name.split('/')
  const page = { name, headings: [] }
  if (slug === '')
    return {
      ...page,
      title: 'API reference',
      description:
        'All operations of the API of Switchboard, with permissions, fields, errors and examples.',
      body: referencePage(document, link),
    }
  const tag = operationsByTag(document).find((each) => slugOf(each.tag) === slug)
  if (!tag || more.length > 0) return null
  if (id === undefined)
    return {
      ...page,
      title: `${tag.tag}: API reference`,
      description: tag.description,
      body: tagPage(document, slug, link) ?? '',
    }
  const found = tag.operations.some((one) => one.id === id) ? findOperation(document, id) : null
  if (!found) return null
  const summary = said(found.operation['summary'])
  const body = operationPage(document, found, link, place === 'server' ? `../../try/${id}` : null)
  const headings = [...body.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)]
  return {
    ...page,
    title: `${summary}: ${found.method} ${found.path}`,
    description: descriptionOf(said(found.operation['description']) || summary),
    body,
    headings: headings.map(([, anchor = '', text = '']) => ({ id: anchor, level: 2, text })),
  }
}

/** Returns a page or a file of the site, `null` if there is none of this name. */
export async function siteFile(
  name: string,
  document: () => Promise<OpenApiDocument>,
  showing: Showing,
): Promise<SiteFile | null> {
  if (name === 'site.css') return { type: 'text/css;charset=utf-8', text: SITE_STYLE }
  if (name === 'site.js') return { type: SCRIPT, text: SITE_SCRIPT }
  if (name === 'search-index.js')
    return { type: SCRIPT, text: await searchIndex(searchable(), await document()) }
  const link = linksOf(name, showing.place)
  const source = SOURCES.find((each) => each.name === name)
  const page =
    name === ''
      ? firstPage(link)
      : source
        ? pageOfSource(source, link)
        : /^reference(?:\/|$)/.test(name)
          ? pageOfReference(await document(), name, { link, place: showing.place })
          : null
  return page && { type: HTML, text: layOut(page, { ...showing, link }) }
}

function* searchable(): Generator<Searchable> {
  for (const { name, title, text } of SOURCES) yield { name, title, ...renderMarkdown(text) }
}

/** The names of all pages, for a map of the site. */
const pageNames = (document: OpenApiDocument): string[] => [
  '',
  ...SOURCES.map(({ name }) => name),
  'reference',
  ...operationsByTag(document).flatMap(({ tag, operations }) => [
    `reference/${slugOf(tag)}`,
    ...operations.map(({ id }) => `reference/${slugOf(tag)}/${id}`),
  ]),
]

/** A page at a former address, which leads to the present one. */
const redirection = (to: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8" /><title>Moved</title><link rel="canonical" href="${to}.html" /><meta http-equiv="refresh" content="0; url=${to}.html" /><p>This page is now <a href="${to}.html">here</a>.</p></html>\n`

/** How long pages are made before other work has its turn, milliseconds. */
const HOLD_MS = 4

/**
 * Yields all files of the site as they lie in a folder, with their paths. With `url`, the address at
 * which the folder will be, there is a map for search engines.
 */
export async function* siteFiles(
  document: OpenApiDocument,
  url: string | null,
): AsyncGenerator<[path: string, content: string | Uint8Array]> {
  const names = pageNames(document)
  const yieldIfDue = yieldEvery(HOLD_MS)
  for (const name of [...names, ...ASSETS]) {
    const file = await siteFile(name, () => Promise.resolve(document), { place: 'files', url })
    if (!file) throw new Error(`The documentation has no page "${name}".`)
    const isPage = file.type === HTML
    yield [isPage ? `${name === '' ? 'index' : name}.html` : name, file.text]
    await yieldIfDue()
  }
  for (const name of PICTURES) {
    const picture = pictureOf(name)
    if (picture) yield [name, await picture.bytes()]
  }
  for (const [name, moved] of Object.entries(MOVED)) yield [`${name}.html`, redirection(moved)]
  yield ['openapi.json', JSON.stringify(document)]
  yield ['asyncapi.json', JSON.stringify(asyncApiDocument(document))]
  if (url === null) return
  const places = names.map(
    (name) => `<url><loc>${escapeHTML(`${url}/${name === '' ? 'index' : name}.html`)}</loc></url>`,
  )
  yield [
    'sitemap.xml',
    `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${places.join('\n')}\n</urlset>\n`,
  ]
  yield ['robots.txt', `User-agent: *\nAllow: /\nSitemap: ${url}/sitemap.xml\n`]
}
