import { posix } from 'node:path'

import { SOURCES } from './pages'
import { PICTURES } from './pictures'

/**
 * Where pages are shown: by a server at `/docs`, or as files of a folder. All links are relative, so
 * that pages also work below a path of a reverse proxy, or opened from a disk.
 */
export type ShownAs = 'server' | 'files'

/** Returns the address of one page or file as seen from another; `''` is the first page. */
export type Link = (name: string, hash?: string) => string

const isFile = (name: string): boolean => /\.(?:css|js|json|webp)$/.test(name)

const fileOf = (name: string): string =>
  name === '' ? 'index.html' : isFile(name) ? name : `${name}.html`

/** Documents of the API, which a server has at its root. */
const AT_ROOT = new Set(['openapi.json', 'asyncapi.json'])

const servedAt = (name: string): string =>
  AT_ROOT.has(name) ? name : name === '' ? 'docs' : `docs/${name}`

/** Returns the links of the page with this name. */
export const linksOf =
  (from: string, place: ShownAs): Link =>
  (to, hash = '') => {
    const path = place === 'server' ? servedAt : fileOf
    const folder = posix.relative(posix.dirname(path(from)), posix.dirname(path(to)))
    return `${folder === '' ? '' : `${folder}/`}${posix.basename(path(to))}${hash}`
  }

/**
 * Returns the address for a link in a Markdown file: in the source, files link to each other by
 * their paths. `null` for a file that is neither page nor picture.
 */
export function resolveLink(href: string, path: string, link: Link): string | null {
  if (/^(?:https?:|mailto:|#)/.test(href)) return href
  const [target = '', hash] = href.split('#')
  const anchor = hash === undefined ? '' : `#${hash}`
  if (target === '/docs') return link('reference', anchor)
  if (target.startsWith('/docs/')) return link(target.slice('/docs/'.length), anchor)
  if (target.startsWith('/')) return link(target.slice(1), anchor)
  const file = posix.join(posix.dirname(path), target).replace(/\/$/, '/README.md')
  const name = PICTURES.find((picture) => `docs/${picture}` === file)
  const page = SOURCES.find((source) => source.path === file)
  return name === undefined ? (page ? link(page.name, anchor) : null) : link(name)
}
