import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Answer, Client } from '../../../support/client'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create({ isConnected: false })
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const verdict = ({ status, body }: Answer<unknown>): [number, string | undefined] => [
  status,
  body.code,
]
const problems = ({ body }: Answer<unknown>): string[] =>
  (body.errors ?? []).map(({ path }) => path)
let made = 0
const field = async (
  more: Record<string, unknown> = {},
): Promise<Answer<Record<string, unknown>>> =>
  await admin.post('/api/contact-attributes', {
    key: `field_${(made += 1)}`,
    label: 'A field',
    type: 'text',
    ...more,
  })

describe('custom fields of contacts', () => {
  test('are created, listed by key, read, updated and deleted, with audit log entries', async () => {
    const { status, data } = await field({
      key: 'plan',
      label: 'Plan',
      type: 'select',
      options: ['Free', ' Pro ', 'Pro'],
    })
    expect([status, data]).toMatchObject([
      201,
      { key: 'plan', label: 'Plan', type: 'select', options: ['Free', 'Pro'] },
    ])
    const path = `/api/contact-attributes/${String(data['id'])}`
    expect((await admin.get(path)).data).toEqual(data)
    expect(
      (await admin.put(path, { label: 'Contract', options: ['Free', 'Pro', 'Max'] })).data,
    ).toMatchObject({
      key: 'plan',
      label: 'Contract',
      options: ['Free', 'Pro', 'Max'],
    })
    expect((await admin.get('/api/contact-attributes')).data).toMatchObject({
      total: 1,
      items: [{ key: 'plan' }],
    })
    expect((await admin.delete(path)).data['message']).toBeString()
    expect((await admin.get(path)).status).toBe(404)
    const log = await admin.get('/api/audit-logs?resource_type=contact_attribute')
    const options = { old_value: ['Free', 'Pro'], new_value: ['Free', 'Pro', 'Max'] }
    expect(log.data['items']).toMatchObject([
      { action: 'deleted', resource_name: 'Contract', changes: [] },
      {
        action: 'updated',
        resource_name: 'Contract',
        changes: [
          { field: 'label', old_value: 'Plan', new_value: 'Contract' },
          { field: 'options', ...options },
        ],
      },
      { action: 'created', resource_name: 'Plan', changes: [] },
    ])
  })

  test('keep their options under a new label, and lose them with a type that has none', async () => {
    const { data } = await field({
      key: 'size',
      label: 'Size',
      type: 'select',
      options: ['S', 'M'],
    })
    await field({ key: 'before', label: 'Z' })
    const path = `/api/contact-attributes/${String(data['id'])}`
    expect((await admin.put(path, { label: 'A size' })).data).toMatchObject({
      label: 'A size',
      options: ['S', 'M'],
    })
    expect((await admin.put(path, { type: 'text' })).data).toMatchObject({
      label: 'A size',
      type: 'text',
      options: [],
    })
    const { items } = (await admin.get('/api/contact-attributes')).data as {
      items: { key: string }[]
    }
    expect(items.map(({ key }) => key)).toEqual(['before', 'size'])
  })

  test('have unique keys per organization', async () => {
    await field({ key: 'twice' })
    expect(verdict(await field({ key: 'twice' }))).toEqual([409, 'key_taken'])
    const other = await world.as('admin', world.other)
    expect(
      (await other.post('/api/contact-attributes', { key: 'twice', label: 'Mine', type: 'number' }))
        .status,
    ).toBe(201)
  })

  for (const [name, body, path] of [
    ['a key with capitals', { key: 'Plan' }, 'body.key'],
    ['a key that begins with a digit', { key: '1st' }, 'body.key'],
    ['a key of 51 characters', { key: 'a'.repeat(51) }, 'body.key'],
    ['the key __proto__', { key: '__proto__' }, 'body.key'],
    ['no label', { label: '' }, 'body.label'],
    ['a blank label', { label: '  ' }, 'body.label'],
    ['an unknown type', { type: 'colour' }, 'body.type'],
    ['a select without options', { type: 'select' }, 'body.options'],
    ['options of a text', { options: ['a'] }, 'body.options'],
  ] as const)
    test(`rejects ${name}`, async () => {
      const answer = await field(body)
      expect([answer.status, problems(answer)]).toEqual([400, [path]])
    })

  test('keep their type while a contact has a value, and lose all values when deleted', async () => {
    const { data } = await field({ key: 'birthday', type: 'date' })
    const path = `/api/contact-attributes/${String(data['id'])}`
    const contact = await admin.post('/api/contacts', {
      phone_number: '+49 151 23456789',
      attributes: { birthday: '1990-02-03' },
    })
    expect(contact.data['attributes']).toEqual({ birthday: '1990-02-03' })
    expect(verdict(await admin.put(path, { type: 'text' }))).toEqual([400, 'has_values'])
    expect((await admin.put(path, { label: 'Born' })).status).toBe(200)
    await admin.delete(path)
    // the values are still there
    expect(verdict(await field({ key: 'birthday' }))).toEqual([409, 'key_taken'])
    await world.settle()
    expect(
      (await admin.get(`/api/contacts/${String(contact.data['id'])}`)).data['attributes'],
    ).toEqual({})
    expect((await field({ key: 'birthday' })).status).toBe(201)
  })

  for (const [type, good, bad] of [
    ['text', 'anything', 5],
    ['number', 5.5, '5'],
    ['boolean', false, 'false'],
    ['date', '2024-02-29', '2023-02-29'],
    ['select', 'Pro', 'Other'],
    ['url', 'https://example.com/a?b=c', 'javascript:alert(1)'],
    ['email', 'ana@example.com', 'ana@example'],
  ] as const)
    test(`a ${type} field accepts ${JSON.stringify(good)}, rejects ${JSON.stringify(bad)} and is cleared by null`, async () => {
      const { data } = await field({ type, ...(type === 'select' ? { options: ['Pro'] } : {}) })
      const key = String(data['key'])
      const contact = await admin.post('/api/contacts', {
        user_id: `US.${key.replace('_', '')}`,
        attributes: { [key]: good },
      })
      expect([contact.status, contact.data['attributes']]).toEqual([201, { [key]: good }])
      const path = `/api/contacts/${String(contact.data['id'])}`
      const refused = await admin.put(path, { attributes: { [key]: bad, nothing: 1 } })
      expect([refused.status, problems(refused)]).toEqual([
        400,
        [`body.attributes.${key}`, 'body.attributes.nothing'],
      ])
      expect((await admin.put(path, { attributes: { [key]: null } })).data['attributes']).toEqual(
        {},
      )
    })

  test('are limited to 100', async () => {
    const { data } = await admin.get('/api/contact-attributes?limit=1')
    for (let count = Number(data['total']); count < 100; count += 1) await field()
    expect(verdict(await field())).toEqual([409, 'limit_reached'])
  })
})
