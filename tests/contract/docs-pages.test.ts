import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { Validator } from '@seriousme/openapi-schema-validator'

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

describe('the list of operations at /docs', () => {
  test('shows each operation once, with a link to the page of its tag', async () => {
    const page = await pageAt('/docs')
    const rows = [
      ...page.matchAll(
        /<li id="(\w+)"><a href="([^"]+)"><b class="\w+">(\w+)<\/b> <code>([^<]+)<\/code> <span>[^<]+/g,
      ),
    ]
    expect(rows.map(([, , , method, path]) => `${method} ${path}`).toSorted()).toEqual(
      operationsIn(document).toSorted(),
    )
    const addresses = new Set(rows.map(([, , address]) => address?.split('#')[0] ?? ''))
    for (const address of addresses)
      expect({ address, status: (await fetch(`${world.url}/${address}`)).status }).toEqual({
        ...{ address, status: 200 },
      })
    expect(rows.find(([, id]) => id === 'createCannedResponse')?.[2]).toBe(
      'docs/reference/canned-responses#/Canned%20responses/createCannedResponse',
    )
  })

  test('is small enough to be shown at once', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await fetch(`${world.url}/docs`, { headers, decompress: false })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect((await answer.arrayBuffer()).byteLength).toBeLessThan(20_000)
    expect(await pageAt('/docs')).not.toContain('swagger-ui-bundle.js')
  })

  test('explains responses and authentication', async () => {
    const page = await pageAt('/docs')
    for (const text of ['route_not_found', 'X-API-Key', 'href="docs/write-a-bot"'])
      expect(page).toContain(text)
  })

  test('is not sent again while it is unchanged', async () => {
    const etag = (await fetch(`${world.url}/docs`)).headers.get('etag') ?? ''
    const again = await fetch(`${world.url}/docs`, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
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
      for (const [, kind, name] of JSON.stringify(part).matchAll(
        /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g,
      )) {
        const kept = part.components?.[kind ?? ''] as Record<string, unknown>
        expect({ tag, name, isThere: name !== undefined && name in kept }).toEqual({
          ...{ tag, name, isThere: true },
        })
      }
    }
    expect(found.toSorted()).toEqual(operationsIn(document).toSorted())
  })

  test('is 404 for a tag that does not exist, as its page is', async () => {
    for (const path of ['/docs/documents/nothing', '/docs/reference/nothing'])
      expect((await fetch(world.url + path)).status).toBe(404)
  })
})

describe('the pages below /docs', () => {
  for (const path of ['/docs', '/docs/reference/contacts']) {
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
      expect(policy).toContain("default-src 'self'")
      expect(policy).toContain("connect-src 'self'")
      expect(policy).toContain(
        script === undefined ? "script-src 'self';" : `script-src 'self' 'sha256-${digest}';`,
      )
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
    })
  }

  test('the viewer asks no validator and loads no more styles', async () => {
    const page = await pageAt('/docs/reference/contacts')
    expect(page).toContain('"validatorUrl":"none"')
    expect(page).not.toMatch(/https?:\/\//)
    const style = await pageAt('/docs/swagger-ui.css')
    expect(
      [...style.matchAll(/@import|url\((?!["']?data:)[^)]*\)/g)].map(([found]) => found),
    ).toEqual([])
  })
})
