import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { plainFields } from '../../../../src/modules/inbox/contacts/plain-fields'
import { approvedTemplate } from '../../../support/templates'
import { BotWorld } from '../../../support/bots'
import type { Client, Loose } from '../../../support/client'
import { exported, imported, reportOf } from '../../../support/imports'
import { World } from '../../../support/world'

/** An object with a text for each plain field: the first two fit, the third fits none. */
const texts = (nth: 0 | 1 | 2): Record<string, string> =>
  Object.fromEntries(
    plainFields.map(({ field, examples }) => [field, [...examples, 'line\nbreak'][nth] ?? '']),
  )
const none = Object.fromEntries(plainFields.map(({ field }) => [field, null]))
const names = plainFields.map(({ field }) => field as string)

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})

afterAll(() => world.stop())

let count = 0
const nextNumber = (): string => `4915170${String((count += 1)).padStart(6, '0')}`

async function created(fields: Loose): Promise<Loose> {
  const { status, data } = await admin.post('/api/contacts', {
    phone_number: nextNumber(),
    ...fields,
  })
  expect(status).toBe(201)
  return data
}

const read = async (id: unknown): Promise<Loose> =>
  (await admin.get(`/api/contacts/${String(id)}`)).data
const foundBy = async (query: string): Promise<unknown[]> =>
  ((await admin.get(`/api/contacts?${query}`)).data['items'] as Loose[]).map(({ id }) => id)

describe('every plain field of a contact', () => {
  test('is created, shown, changed and cleared, and each change is told', async () => {
    const { id } = await created(texts(0))
    expect(await read(id)).toMatchObject(texts(0))
    const socket = await world.socket('admin')
    const changed = async (body: Loose): Promise<unknown> => {
      expect((await admin.put(`/api/contacts/${String(id)}`, body)).data).toMatchObject(body)
      await world.settle()
      return (await socket.caughtUp()).at(-1)?.payload
    }
    expect(await changed(texts(1))).toMatchObject({ ...texts(1), changed: names })
    expect(await changed(none)).toMatchObject({ ...none, changed: names })
    const { data } = await admin.get(`/api/audit-logs?resource_id=${String(id)}`)
    const [entry = {}] = data['items'] as Loose[]
    expect((entry['changes'] as Loose[]).map(({ field }) => field)).toEqual(names)
  })

  test('is refused with its path if it does not fit', async () => {
    const body = { phone_number: nextNumber(), ...texts(2) }
    const refused = await admin.post('/api/contacts', body)
    expect(refused.status).toBe(400)
    expect(refused.body.errors?.map(({ path }) => path)).toEqual(
      names.map((field) => `body.${field}`),
    )
  })

  test('is imported, exported, and refused in a file if it does not fit', async () => {
    const header = ['phone_number', ...names].join(',')
    const [fits, unfit] = [nextNumber(), nextNumber()]
    const line = (number: string, of: Loose) =>
      [number, ...names.map((name) => `"${String(of[name])}"`)].join(',')
    const file = [header, line(fits, texts(0)), line(unfit, texts(2))].join('\r\n')
    const problems = (await reportOf(admin, await imported(world, admin, { file }))).map(
      ({ errors }) => (errors as Loose[]).map(({ column, message }) => [column, message]),
    )
    expect(problems).toEqual([[], plainFields.map(({ field, rule }) => [field, rule])])
    const [id] = await foundBy(`search=${fits}`)
    expect(await read(id)).toMatchObject(texts(0))
    const { text } = await exported(world, admin, {
      table: 'contacts',
      format: 'jsonl',
      filters: { search: fits },
    })
    expect(JSON.parse(text)).toMatchObject(texts(0))
  })

  test.each(plainFields.filter(({ isSearched }) => isSearched))(
    'finds its contact if it is searched: $field',
    async ({ field }) => {
      const word = `finds${field}`
      const { id } = await created({ [field]: `One ${word}` })
      expect(await foundBy(`search=${word}`)).toEqual([id])
      const file = `phone_number,${field}\n${nextNumber()},Imported ${word}`
      await imported(world, admin, { file })
      expect(await foundBy(`search=${word}`)).toHaveLength(2)
    },
  )

  test.each(plainFields.filter(({ isSearched }) => !isSearched))(
    'does not find its contact if it is not searched: $field',
    async ({ field, examples }) => {
      const [, text] = examples
      const { id } = await created({ [field]: text })
      expect(await foundBy(`search=${text}`)).not.toContain(id)
    },
  )

  test.each(plainFields.filter(({ isInSegments }) => isInSegments))(
    'is compared in segments if they know it: $field',
    async ({ field, examples }) => {
      const [fits, alsoFits] = examples
      const one = await created({ [field]: fits })
      await created({ [field]: alsoFits })
      const { data } = await admin.post('/api/segments', {
        name: `By ${field}`,
        filter: {
          all: [
            { field, op: 'eq', value: fits },
            { field: 'created_at', op: 'exists' },
          ],
        },
      })
      const listed = await admin.get(`/api/segments/${String(data['id'])}/contacts?limit=100`)
      const ids = (listed.data['items'] as Loose[]).map(({ id }) => id)
      expect(ids).toContain(one['id'])
      for (const id of ids) expect((await read(id))[field]).toBe(fits)
    },
  )

  test('is hidden where it is a number and the caller may not see numbers', async () => {
    const number = '+49 151 70999999'
    const hidden = plainFields.filter(({ kind }) => kind === 'name')
    const { id } = await created(Object.fromEntries(hidden.map(({ field }) => [field, number])))
    await admin.put('/api/organizations/settings', { mask_phone_numbers: true })
    const agent = await world.as('agent')
    await admin.put(`/api/contacts/${String(id)}/assign`, { user_id: world.tenant.userIds.agent })
    const { data } = await agent.get(`/api/contacts/${String(id)}`)
    for (const { field } of hidden) expect(data[field]).toMatch(/\*+9999$/)
    await admin.put('/api/organizations/settings', { mask_phone_numbers: false })
  })

  test('fills the contact that another one is merged into', async () => {
    const [target, source] = [await created({}), await created(texts(0))]
    const { status } = await admin.post(`/api/contacts/${String(target['id'])}/merge`, {
      source_id: source['id'],
    })
    expect(status).toBe(200)
    expect(await read(target['id'])).toMatchObject(texts(0))
  })

  test('is empty after the person is erased', async () => {
    const { id } = await created(texts(0))
    await admin.post(`/api/contacts/${String(id)}/erase`, { confirm: id })
    await world.settle()
    const columns = names.join(', ')
    const [row] = world.rows(
      `select ${columns} from contacts where deleted_at_ms > 0 and merged_into is null`,
    )
    expect(row).toEqual(none)
  })

  test('fills a variable of a campaign', async () => {
    const body = names.map((_, index) => `what we know of you is {{${index + 1}}}`).join(' and ')
    const template = await approvedTemplate(world, {
      components: [
        {
          type: 'BODY',
          text: `Hello, ${body}, so much for that.`,
          example: { body_text: [names.map(() => 'x')] },
        },
      ],
    })
    const { phone_number } = await created(texts(0))
    const { data } = await admin.post('/api/campaigns', {
      name: 'Fields',
      account_id: world.tenant.accountId,
      template_id: template.id,
      variable_mapping: Object.fromEntries(names.map((name, index) => [`${index + 1}`, name])),
    })
    const path = `/api/campaigns/${String(data['id'])}`
    await admin.post(`${path}/recipients/import`, { recipients: [{ phone_number }] })
    const { data: trial } = await admin.post(`${path}/dry-run`)
    const filled = names.map((name) => `what we know of you is ${texts(0)[name]}`).join(' and ')
    expect(JSON.stringify(trial['samples'])).toContain(filled)
  })
})

const EDGES: [string, string, string][] = [
  ['fits', 'default', 'show'],
  ['show', 'default', 'unfit'],
  ['unfit', 'default', 'wrong'],
  ['unfit', 'error', 'end'],
]

test('a bot reads and writes every plain field of a contact, and writes only what the API takes', async () => {
  await using bot = await BotWorld.create()
  const shown = names.map((name) => `{{ contact.${name} }}`).join(' | ')
  await bot.flow(
    [
      ['fits', 'update_contact', texts(1)],
      ['show', 'message', { message: shown }],
      ['unfit', 'update_contact', texts(2)],
      ['wrong', 'end', { message: 'Written.' }],
      ['end', 'end', { message: `Still ${shown}` }],
    ],
    { trigger_keywords: ['go'], edges: EDGES },
  )
  const told = Object.values(texts(1)).join(' | ')
  expect(await bot.say('go')).toEqual([`${told}\n\nStill ${told}`])
  const { data: tried } = await bot.admin.post('/api/chatbot/preview', { message: 'go' })
  expect(JSON.stringify(tried['replies'])).toContain(`Still ${told}`)
  const { data } = await bot.admin.get('/api/contacts')
  expect((data['items'] as Loose[])[0]).toMatchObject(texts(1))
})
