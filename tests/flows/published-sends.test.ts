import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { sampleFile } from '../../src/simulator/sample-files'
import type { Loose } from '../support/client'
import { publishedFlow, savedFlow, screenOf } from '../support/flows'
import { openSendFixture, type SendFixture } from '../support/sending'

const folder = path.resolve(import.meta.dir, '../../../shared/samples/openapi')
const names = existsSync(folder)
  ? readdirSync(folder).filter((name) => name.includes('-send-req-'))
  : []

/**
 * What has no counterpart in what we send: payments, templates, receipts. Reactions have tests of
 * their own.
 */
const OTHERS = new Set(['order_details', 'order_status'])

type MediaKind = Parameters<typeof sampleFile>[0]
const MEDIA: ReadonlySet<string> = new Set([
  'image',
  'video',
  'audio',
  'document',
  'sticker',
] satisfies MediaKind[])
/** Names with endings: Bun reads the type of a part of a form from its file name. */
const ENDINGS: Record<string, string> = {
  image: 'jpg',
  video: 'mp4',
  audio: 'ogg',
  document: 'pdf',
  sticker: 'webp',
}
const OUR_KINDS: Record<string, string> = {
  catalog_message: 'catalog',
  location_request_message: 'location_request',
}

/** Placeholders that stand where the platform takes an id of a screen. */
const readSample = (name: string): Loose =>
  JSON.parse(
    readFileSync(path.join(folder, name), 'utf8').replaceAll('<SCREEN_ID>', SCREEN),
  ) as Loose
const SCREEN = 'SCREEN_ID'
const typeOf = (sample: Loose): string =>
  (sample['type'] as string | undefined) ??
  (sample['interactive'] ? 'interactive' : sample['location'] ? 'location' : 'text')
const isOurs = (sample: Loose): boolean => {
  const type = typeOf(sample)
  return (
    sample['status'] === undefined &&
    !['template', 'reaction'].includes(type) &&
    !OTHERS.has(sample['interactive']?.['type'])
  )
}
const ours = names.filter((name) => isOurs(readSample(name)))

let fixture: SendFixture
let server: Bun.Server<undefined>
/** Forms by what is sent of them. */
let forms: Record<string, Loose>

beforeAll(async () => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      new Response(
        new Uint8Array(sampleFile(new URL(url).pathname.split('.')[0]?.slice(1) as MediaKind, '')),
      ),
  })
  fixture = await openSendFixture({ env: { EGRESS_ALLOW: `127.0.0.1:${server.port}` } })
  const json_definition = { version: '7.3', screens: [screenOf({ id: SCREEN })] }
  const id = await savedFlow(fixture.client, {
    account_id: fixture.world.tenant.accountId,
    name: 'Draft',
    categories: ['OTHER'],
    json_definition,
  })
  const draft = (await fixture.client.get(`/api/flows/${id}`)).data
  forms = {
    draft,
    published: await publishedFlow(fixture.world, fixture.client, { json_definition }),
  }
})

afterAll(async () => {
  await fixture.world.stop()
  await server.stop(true)
})

/** An interactive message of the platform as our API takes it. */
function interactiveOf({ type, header, body, footer, action }: Loose): Loose {
  const sections = (action['sections'] as Loose[] | undefined)?.map(
    ({ title, rows, product_items }) =>
      rows
        ? { title, rows }
        : {
            title,
            product_retailer_ids: (product_items as Loose[]).map(
              (item) => item['product_retailer_id'],
            ),
          },
  )
  const parameters = (action['parameters'] ?? {}) as Loose
  if (type === 'flow') {
    const { flow_cta, mode = 'published', flow_action_payload } = parameters
    const frame = {
      type,
      body: body?.text,
      footer: footer?.text,
      header: header?.text,
      mode,
      button_text: flow_cta,
    }
    return {
      ...frame,
      flow_id: forms[mode]?.['id'],
      screen: flow_action_payload?.['screen'],
      data: flow_action_payload?.['data'],
    }
  }
  return {
    type: OUR_KINDS[type] ?? type,
    body: body?.text,
    footer: footer?.text,
    header: header?.text,
    button_text: action['button'],
    buttons: (action['buttons'] as Loose[] | undefined)?.map(({ reply }) => reply),
    sections,
    catalog_id: action['catalog_id'],
    product_retailer_id: action['product_retailer_id'],
    thumbnail_product_retailer_id: action['parameters']?.['thumbnail_product_retailer_id'],
  }
}

/** A body of the platform as our API takes it. */
function requestOf(sample: Loose): Loose {
  const type = typeOf(sample)
  const part = sample[type] as Loose
  if (type === 'text') return { type, text: part['body'], preview_url: part['preview_url'] }
  if (MEDIA.has(type))
    return {
      type,
      media_url: `${server.url.origin}/${type}.${ENDINGS[type]}`,
      caption: part['caption'],
      filename: part['filename'],
    }
  return { type, [type]: type === 'interactive' ? interactiveOf(part) : part }
}

/** What the platform is to get: the published part, with our file in place of the one it names. */
function expectedOf(sample: Loose, payload: Loose): Loose {
  const type = typeOf(sample)
  const { id: _, link: __, ...extras } = sample[type] as Loose
  // A document whose name nobody says has that of its file.
  if (MEDIA.has(type))
    return {
      id: payload[type]['id'],
      ...(type === 'document' ? { filename: 'document.pdf' } : {}),
      ...extras,
    }
  if (sample['interactive']?.['type'] === 'flow') {
    const { flow_name: _name, ...parameters } = extras['action']['parameters'] as Loose
    const { flow_token } = payload['interactive']['action']['parameters'] as Loose
    const flow_id = forms[parameters['mode'] ?? 'published']?.['meta_flow_id'] as string
    return {
      ...extras,
      action: { name: 'flow', parameters: { ...parameters, flow_token, flow_id } },
    }
  }
  if (sample['interactive']?.['header'])
    return { ...extras, header: { ...extras['header'], type: 'text' } }
  return type === 'contacts' ? (sample[type] as Loose) : extras
}

describe('each published example of a message, sent over the API, reaches the platform unchanged', () => {
  for (const name of ours)
    test(name, async () => {
      const sample = readSample(name)
      const [asked] = (
        await fixture.client.get(
          `/api/contacts/${fixture.contact['id']}/messages?direction=incoming`,
        )
      ).data['items'] as Loose[]
      const { payload } = await fixture.sent({
        ...requestOf(sample),
        ...(sample['context'] ? { reply_to: asked?.['id'] } : {}),
      })
      expect(payload[typeOf(sample)]).toEqual(expectedOf(sample, payload))
      expect(payload['context']).toEqual(
        sample['context'] ? { message_id: asked?.['wa_message_id'] } : undefined,
      )
    })

  test('most of the published examples are sends the API supports, if they are available', () => {
    expect(ours.length).toBeGreaterThan(names.length === 0 ? -1 : 30)
  })
})
