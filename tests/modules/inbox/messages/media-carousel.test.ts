import { afterAll, beforeAll, expect, test } from 'bun:test'

import { CONTENTS } from '../../../../src/modules/inbox/messages/content/model'
import { SAMPLES } from '../../../../src/simulator/sample-files'
import type { Loose } from '../../../support/client'
import { exactCheck } from '../../../support/exact-schema'
import { upload } from '../../../support/files'
import { openSendFixture, tracesIn, type SendFixture } from '../../../support/sending'

let fixture: SendFixture
let files: string[]

beforeAll(async () => {
  fixture = await openSendFixture()
  files = [await stored('image/jpeg', 'hat.jpg'), await stored('image/png', 'coat.png')]
})

afterAll(() => fixture.world.stop())

const stored = async (type: 'image/jpeg' | 'image/png', name: string): Promise<string> =>
  (await upload(fixture.client, { bytes: SAMPLES[type], type, name })).data['id'] as string

const cards = (changes: Loose = {}): Loose[] =>
  files.map((media_id, index) => ({
    header: { type: 'image', media_id },
    body: `Offer ${index}`,
    button_text: 'Buy',
    url: `https://example.com/${index}`,
    ...changes,
  }))
const carousel = (changes: Loose = {}): Loose => ({
  type: 'interactive',
  interactive: { type: 'media_carousel', body: 'Our top 2', cards: cards(), ...changes },
})

/** The cards that the platform gets, with these IDs of files. */
const platformCards = (ids: unknown[]): Loose[] =>
  ids.map((id, card_index) => ({
    card_index,
    type: 'cta_url',
    header: { type: 'image', image: { id } },
    body: { text: `Offer ${card_index}` },
    action: {
      name: 'cta_url',
      parameters: { display_text: 'Buy', url: `https://example.com/${card_index}` },
    },
  }))

test('a carousel is stored, previewed and sent with each of its files', async () => {
  const preview = await fixture.client.post('/api/messages/preview', {
    contact_id: fixture.contact['id'],
    ...carousel(),
  })
  expect(preview.data['platform_payload']['interactive']).toEqual({
    type: 'carousel',
    body: { text: 'Our top 2' },
    action: { cards: platformCards(files) },
  })
  const { message, payload } = await fixture.sent(carousel())
  expect(message).toMatchObject({ status: 'delivered', preview: 'Our top 2', media: null })
  expect(exactCheck(CONTENTS.interactive)(message['content'])).toBe(true)
  expect(message['content']).toMatchObject({
    kind: 'media_carousel',
    cards: [
      { header: { media_id: files[0], filename: 'hat.jpg' }, body: 'Offer 0' },
      { header: { media_id: files[1], filename: 'coat.png' }, url: 'https://example.com/1' },
    ],
  })
  const sent = (payload['interactive'] as Loose)['action']['cards'] as Loose[]
  const ids = sent.map(({ header }) => (header as Loose)['image']['id'] as string)
  expect(new Set(ids).size).toBe(2)
  for (const id of ids) expect(files).not.toContain(id)
  expect(payload['interactive']).toEqual({
    type: 'carousel',
    body: { text: 'Our top 2' },
    action: { cards: platformCards(ids) },
  })
  expect(fixture.world.simulator.unexpected).toEqual([])
  // The links let people who see the message see its files, and erase them with it.
  expect(fixture.world.rows('select count(*) as links from message_files')).toEqual([{ links: 2 }])
})

test('a failed carousel is resent with its files', async () => {
  fixture.world.simulator.fail({ code: 131_009 }, { route: 'messages' })
  const { data } = await fixture.send(carousel())
  await fixture.world.settle()
  const resent = await fixture.client.post(`/api/messages/${data['id']}/resend`)
  expect(resent.status).toBe(201)
  await fixture.world.settle()
  const { data: message } = await fixture.client.get(`/api/messages/${resent.data['id']}`)
  expect(message).toMatchObject({ status: 'delivered', content: { cards: [{}, {}] } })
})

test.each<[string, () => Loose, string]>([
  ['one card', () => ({ cards: cards().slice(1) }), 'cards'],
  ['eleven cards', () => ({ cards: Array.from({ length: 11 }, () => cards()[0]) }), 'cards'],
  ['no cards', () => ({ cards: undefined }), 'cards'],
  [
    'a card without a file',
    () => ({ cards: [cards()[0], cards({ header: { type: 'image' } })[1]] }),
    'cards.1.header.media_id',
  ],
  [
    'files of two types',
    () => ({ cards: [cards()[0], cards({ header: { type: 'video', media_id: files[1] } })[1]] }),
    'cards.1.header.type',
  ],
  [
    'a long text on a card',
    () => ({ cards: [cards()[0], cards({ body: 'b'.repeat(161) })[1]] }),
    'cards.1.body',
  ],
  [
    'a card without a link',
    () => ({ cards: [cards({ url: undefined })[0], cards()[1]] }),
    'cards.0.url',
  ],
  [
    'a long button',
    () => ({ cards: [cards({ button_text: 'b'.repeat(21) })[0], cards()[1]] }),
    'cards.0.button_text',
  ],
  ['a header', () => ({ header: 'Offers' }), 'header'],
  ['a footer', () => ({ footer: 'Acme' }), 'footer'],
])('a carousel with %s is refused and stores nothing', async (_, changes, path) => {
  using _stay = fixture.world.stays('jobs')
  const before = tracesIn(fixture.world)
  const { status, body } = await fixture.send(carousel(changes()))
  expect({ status, paths: (body.errors ?? []).map((problem) => problem.path) }).toEqual({
    status: 400,
    paths: [`body.interactive.${path}`],
  })
  expect(tracesIn(fixture.world)).toEqual(before)
})
