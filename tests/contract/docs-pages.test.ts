import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { Validator } from '@seriousme/openapi-schema-validator'

import { docs } from '../../src/commands/docs'
import { readConfig } from '../../src/config'
import { ERROR_CODES } from '../../src/http/error-codes'
import { textOf } from '../../src/http/docs/markdown'
import { PICTURES, pictureOf } from '../../src/http/docs/pictures'
import type { OpenApiDocument } from '../../src/http/openapi/document'
import { operationsByTag, slugOf } from '../../src/http/openapi/tag-document'
import { World } from '../support/world'

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  document = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApiDocument
})

afterAll(() => world.stop())

const pageAt = async (path: string): Promise<string> => (await fetch(world.url + path)).text()

/** Returns the operations of a document as `GET /path`, and its events as `POST event.type`. */
const operationsIn = ({ paths, webhooks }: OpenApiDocument): string[] =>
  Object.entries({ ...paths, ...webhooks }).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )

const assetsOf = (page: string): string[] =>
  [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )

/** What the script with the index of the search sets. */
interface Index {
  places: [title: string, context: string, name: string, hash: string, words: string][]
  operations: [title: string, context: string, name: string, hash: string, words: string][]
  fields: Record<string, string>
}

const indexIn = (script: string): Index =>
  JSON.parse(script.replace('globalThis.SWITCHBOARD_SEARCH=', '')) as Index

describe('the list of operations at /docs/reference', () => {
  test('shows each operation once, with a link to its page', async () => {
    const page = await pageAt('/docs/reference')
    const rows = [
      ...page.matchAll(
        /<li id="(\w+)" data-words="([^"]*)"><a href="([^"]+)"><b class="verb \w+">(\w+)<\/b> <code>([^<]+)<\/code> <span>[^<]+/g,
      ),
    ]
    expect(rows.map(([, , , , method, path]) => `${method} ${path}`).toSorted()).toEqual(
      operationsIn(document).toSorted(),
    )
    expect(rows.find(([, id]) => id === 'createCannedResponse')?.slice(2, 4)).toEqual([
      'canned_responses:create',
      'reference/canned-responses/createCannedResponse',
    ])
  })

  test('is small enough to be shown at once', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await fetch(`${world.url}/docs/reference`, { headers, decompress: false })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(25_000)
    expect(await pageAt('/docs/reference')).not.toContain('swagger-ui-bundle.js')
  })

  test('explains responses and authentication', async () => {
    const page = await pageAt('/docs/reference')
    for (const text of ['route_not_found', 'X-API-Key', 'href="write-a-bot"'])
      expect(page).toContain(text)
  })

  test('is not sent again while it is unchanged', async () => {
    const etag = (await fetch(`${world.url}/docs/reference`)).headers.get('etag') ?? ''
    const again = await fetch(`${world.url}/docs/reference`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })
})

describe('the page of an operation', () => {
  test('has a command, an example, and a description of every field', async () => {
    const page = await pageAt('/docs/reference/contacts/createContact')
    for (const text of [
      'Requires <a href="../../roles#contacts:create"><code>contacts:create</code></a>',
      '409 <a href="../../errors#',
      'curl -X POST',
      'x-api-key',
      'Answer 201',
      '<code>phone_number</code>',
      'class="required"',
      'href="../../try/createContact"',
    ])
      expect(page).toContain(text)
  })

  test('says the limits of fields', async () => {
    expect(await pageAt('/docs/reference/authentication/register')).toContain(
      'At least 3 characters. Up to 254 characters.',
    )
    expect(await pageAt('/docs/reference/contacts/listContacts')).toMatch(
      /From 1 to 100\. Defaults to <code>20<\/code>\./,
    )
  })

  test('is 404 for an operation of another tag', async () => {
    for (const path of ['contacts/sendMessage', 'contacts/nothing', 'contacts/listContacts/more'])
      expect((await fetch(`${world.url}/docs/reference/${path}`)).status).toBe(404)
  })
})

describe('the document of a tag', () => {
  test('contains the operations of the tag and every component they use', async () => {
    const found: string[] = []
    const validator = new Validator() // compiles the schema of documents once
    for (const { tag } of operationsByTag(document)) {
      const part = JSON.parse(await pageAt(`/docs/documents/${slugOf(tag)}`)) as OpenApiDocument
      found.push(...operationsIn(part))
      const { valid, errors } = await validator.validate(structuredClone(part))
      expect({ tag, valid, errors }).toEqual({ tag, valid: true, errors: undefined })
      expectComponents(part)
    }
    expect(found.toSorted()).toEqual(operationsIn(document).toSorted())
  })

  test('is there for one operation as well', async () => {
    const part = JSON.parse(await pageAt('/docs/documents/sendMessage')) as OpenApiDocument
    expect(operationsIn(part)).toEqual(['POST /api/messages'])
    expectComponents(part)
  })

  test('is 404 for a tag that does not exist, as its page is', async () => {
    for (const path of ['/docs/documents/nothing', '/docs/reference/nothing', '/docs/try/nothing'])
      expect((await fetch(world.url + path)).status).toBe(404)
  })
})

function expectComponents(part: OpenApiDocument): void {
  for (const [, kind, name] of JSON.stringify(part).matchAll(
    /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g,
  )) {
    const kept = part.components?.[kind ?? ''] as Record<string, unknown>
    expect({ name, isThere: name !== undefined && name in kept }).toEqual({ name, isThere: true })
  }
}

describe('the pages below /docs', () => {
  for (const path of ['/docs', '/docs/reference/contacts/listContacts', '/docs/try/listContacts']) {
    test(`${path} is made of files of this server alone`, async () => {
      const response = await fetch(world.url + path)
      const page = await response.text()
      expect(response.headers.get('content-type')).toBe('text/html;charset=utf-8')
      const files = assetsOf(page)
      expect(files.length).toBeGreaterThan(1)
      for (const file of files) {
        const answer = await fetch(new URL(file, world.url + path))
        expect({
          file,
          status: answer.status,
          type: answer.headers.get('content-type'),
          sniff: answer.headers.get('x-content-type-options'),
        }).toEqual({
          file,
          status: 200,
          type: file.endsWith('.css') ? 'text/css;charset=utf-8' : 'text/javascript;charset=utf-8',
          sniff: 'nosniff',
        })
        expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(50)
      }
      expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
      expect(page).not.toMatch(/\son\w+=/)
    })

    test(`${path} may load nothing from elsewhere`, async () => {
      const response = await fetch(world.url + path)
      const policy = response.headers.get('content-security-policy') ?? ''
      const [, script] = /<script>([^]*?)<\/script>/.exec(await response.text()) ?? []
      const digest = new Bun.CryptoHasher('sha256').update(script ?? '').digest('base64')
      expect(policy).toMatch(/default-src '(self|none)'/)
      expect(policy).toContain(
        script === undefined ? "script-src 'self';" : `script-src 'self' 'sha256-${digest}';`,
      )
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
    })
  }

  test('the viewer asks no validator and loads no more styles', async () => {
    const page = await pageAt('/docs/try/listContacts')
    expect(page).toContain('"validatorUrl":"none"')
    expect(page).not.toMatch(/https?:\/\//)
    const style = await pageAt('/docs/swagger-ui.css')
    expect(
      [...style.matchAll(/@import|url\((?!["']?data:)[^)]*\)/g)].map(([found]) => found),
    ).toEqual([])
  })

  test('the viewer is sent compressed and may be kept', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await fetch(`${world.url}/docs/swagger-ui-bundle.js`, {
      headers,
      decompress: false,
    })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=86400')
  })
})

test('the search finds guides, operations, fields, error codes, and settings', async () => {
  const { places, operations, fields } = indexIn(await pageAt('/docs/search-index.js'))
  const placeOf = (title: string): string[] =>
    places.filter(([name]) => name === title).map(([, , name, hash]) => name + hash)
  expect(placeOf('The test number')).toEqual(['meta#the-test-number'])
  expect(placeOf('DATA_DIR')).toContain('configure#DATA_DIR')
  expect(operations.map(([, context]) => context)).toContain('POST /api/messages')
  const usersOf = (word: string): (string | undefined)[] =>
    (fields[word] ?? '').split(' ').map((number) => operations[Number(number)]?.[1])
  expect(usersOf('window_closed')).toContain('POST /api/messages')
  expect(usersOf('marketing_consent')).toContain('GET /api/contacts')
  expect(usersOf('marketing_consent')).not.toContain('POST /api/auth/login')
  const codes = Object.keys(ERROR_CODES).map((key) => key.split(' ')[1] ?? '')
  expect(codes.filter((code) => !placeOf(code).includes(`errors#${code}`))).toEqual([])
})

describe('a guide', () => {
  test('stands between its neighbors, is marked in the sidebar, and is not for search engines', async () => {
    const page = await pageAt('/docs/meta')
    expect(page).toContain('<meta name="robots" content="noindex" />')
    expect(page).toContain('<a href="meta" aria-current="page">')
    expect(page.match(/aria-current/g)).toHaveLength(1)
    expect(page).toContain('<a rel="prev" href="start">')
    expect(page).toContain('<a rel="next" href="come-from">')
    expect(await pageAt('/docs/start')).not.toContain('rel="prev"')
    expect(page).toContain('<a href="#your-own-number">Your own number</a>')
    const [, description = ''] = /<meta name="description" content="([^"]+)"/.exec(page) ?? []
    expect(description).toStartWith('This page leads from nothing at Meta')
  })

  test('shows code as it is written, in colors, to be copied if it is a command', async () => {
    const page = await pageAt('/docs/write-a-bot')
    const code = await Bun.file(join(import.meta.dir, '../../src/docs/write-a-bot.md')).text()
    const [, written = ''] = /```ts\n(.*?)```/s.exec(code) ?? []
    const blocks = [
      ...page.matchAll(/<div class="code" data-copy><pre tabindex="0"><code>(.*?)<\/code>/gs),
    ]
    const shown = blocks.map(([, html = '']) => textOf(html))
    expect(shown).toContain(written)
    expect(page).toContain('class="hljs-keyword"')
    expect(await pageAt('/docs/start')).toContain('<div class="code"><pre') // what a terminal shows
  })
})

test('pictures of guides are sent as they are, with what they show in words', async () => {
  const page = await pageAt('/docs/bot')
  expect(page).toMatch(/<img loading="lazy" src="pictures\/flow.webp" alt="A flow of the bot[^"]+"/)
  const picture = await fetch(`${world.url}/docs/pictures/flow.webp`)
  expect(picture.headers.get('content-type')).toBe('image/webp')
  expect(picture.headers.get('cache-control')).toBe('public, max-age=86400')
  expect(await picture.bytes()).toEqual(
    (await pictureOf('pictures/flow.webp')?.bytes()) ?? new Uint8Array(),
  )
  expect((await fetch(`${world.url}/docs/pictures/none.webp`)).status).toBe(404)
})

test('former addresses lead to where their content is', async () => {
  const answer = await fetch(`${world.url}/docs/grow?cell=b`, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([308, 'second-server?cell=b'])
  expect((await fetch(`${world.url}/docs/grow`)).url).toBe(`${world.url}/docs/second-server`)
})

const ASSETS = ['site.css', 'site.js', 'openapi.json', 'asyncapi.json']

describe('the documentation in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'docs-'))
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = (flags: Record<string, string>): void | Promise<void> =>
    docs.run({
      ...{ words: [], flags, isJson: false, environment: {} },
      ...{ config: () => readConfig({}), variables: () => ({}) },
    })

  test('has every page, for search engines, with links that work from a disk', async () => {
    await run({ out: folder, url: 'https://docs.example.com/switchboard/' })
    const places = [...read('sitemap.xml').matchAll(/<loc>([^<]+)<\/loc>/g)].map(
      ([, url = '']) => url,
    )
    expect(places.length).toBeGreaterThan(500)
    const files = places.map((url) => url.replace('https://docs.example.com/switchboard/', ''))
    const titles = new Map<string, string>()
    const known = new Set([...files, ...PICTURES, ...ASSETS])
    const wrong: string[] = []
    for (const path of files) {
      const page = read(path)
      const own = `<link rel="canonical" href="https://docs.example.com/switchboard/${path}" />`
      if (page.includes('noindex') || !page.includes(own))
        wrong.push(`${path}: not for search engines`)
      const [, title = ''] = /<title>([^<]+)<\/title>/.exec(page) ?? []
      const [, description = ''] = /<meta name="description" content="([^"]+)"/.exec(page) ?? []
      if (titles.has(title)) wrong.push(`${path}: has the title of ${titles.get(title)}`)
      titles.set(title, path)
      if (description.length < 5) wrong.push(`${path}: no description`)
      for (const [, link = ''] of page.matchAll(/(?:href|src)="([^"#?]+)/g))
        if (!/^(?:https?:|data:)/.test(link) && !known.has(join(dirname(path), link)))
          wrong.push(`${path} → ${link}`)
    }
    expect(wrong).toEqual([])
    expect(read('robots.txt')).toContain(
      'Sitemap: https://docs.example.com/switchboard/sitemap.xml',
    )
    expect(indexIn(read('search-index.js')).operations.length).toBeGreaterThan(400)
    expect(read('grow.html')).toContain('url=second-server.html')
    expect(read('openapi.json')).toStartWith('{"openapi"')
    for (const picture of PICTURES)
      expect(readFileSync(join(folder, picture))).toEqual(
        Buffer.from((await pictureOf(picture)?.bytes()) ?? []),
      )
  })

  test('says of each operation who may call it, and names its fields and errors', () => {
    const missing: string[] = []
    for (const { tag, operations } of operationsByTag(document))
      for (const { id, method, path, permission } of operations) {
        const page = read(`reference/${slugOf(tag)}/${id}.html`)
        const operation = { ...document.paths, ...document.webhooks }[path]?.[method.toLowerCase()]
        const body = operation?.['requestBody'] as { content?: Record<string, { schema?: object }> }
        const { properties = {} } = (body?.content?.['application/json']?.schema ?? {}) as {
          properties?: object
        }
        const codes = Object.values((operation?.['x-codes'] ?? {}) as Record<string, string[]>)
        for (const word of [
          ...(permission.match(/\w+:\w+/g) ?? []),
          ...codes.flat(),
          ...Object.keys(properties),
        ])
          if (!page.includes(`<code>${word}</code>`)) missing.push(`${id}: ${word}`)
        if (page.match(/<h1/g)?.length !== 1) missing.push(`${id}: heading`)
      }
    expect(missing).toEqual([])
  })

  test('refuses a folder with other files, and an address that is none', async () => {
    const other = mkdtempSync(join(tmpdir(), 'other-'))
    writeFileSync(join(other, 'mine.txt'), 'mine')
    const refusal = async (flags: Record<string, string>): Promise<string> => {
      try {
        await run(flags)
        return ''
      } catch (error) {
        return String(error)
      }
    }
    expect(await refusal({ out: other })).toContain('holds other files')
    expect(await refusal({ out: folder, url: 'ftp://x' })).toContain('--url needs')
    expect(await refusal({})).toContain('--out is missing')
    rmSync(other, { recursive: true })
  })
})
