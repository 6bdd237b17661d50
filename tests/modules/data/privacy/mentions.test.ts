import { expect, test } from 'bun:test'

import { Client, type Loose } from '../../../support/client'
import { World } from '../../../support/world'

const NUMBER = '4915112345678'

/** Creates a world with two customers who share a first name; returns the one to be erased. */
async function worldOfTwo(): Promise<{ world: World; id: string; admin: Client }> {
  const world = await World.create()
  const admin = await world.as('admin')
  const { data } = await admin.post('/api/contacts', {
    phone_number: `+${NUMBER}`,
    name: 'Ana Zacharias',
  })
  await admin.post('/api/contacts', { phone_number: '+15550700002', name: 'Ana Meyer' })
  return { world, id: String(data['id']), admin }
}

/** Erases a contact and returns the counts of the receipt. */
async function erased(world: World, id: string): Promise<Loose> {
  const admin = await world.as('admin')
  const asked = await admin.post(`/api/contacts/${id}/erase`, { confirm: id })
  expect(asked.status).toBe(201)
  await world.settle()
  const { data } = await admin.get(`/api/privacy/requests/${asked.data['id']}`)
  expect(data['state']).toBe('completed')
  return (data['receipt'] as Loose)['counts'] as Loose
}

const saved = async (client: Client, filter: Loose, resource = 'contacts'): Promise<string> => {
  const { status, data } = await client.post('/api/views', {
    name: JSON.stringify(filter).slice(0, 60),
    ...{ resource, filter },
  })
  expect(status).toBe(201)
  return String(data['id'])
}

test('saved views that search for an erased person and find nobody else are deleted, and counted', async () => {
  const { world, id, admin } = await worldOfTwo()
  await using _ = world
  const agent = await world.as('agent')
  const shared = { name: 'Hers', resource: 'contacts', is_shared: true }
  await admin.post('/api/views', { ...shared, filter: { search: 'zacharias', blocked: false } })
  for (const search of ['ANA Zach', '+49 151 1234 5678', '0049 151 12345678', '15112345678'])
    await saved(admin, { search })
  await saved(agent, { search: 'Ana  Zácharias', state: 'open' }, 'conversations')
  const kept = [
    await saved(admin, { search: 'ana' }),
    await saved(admin, { search: '5678' }),
    await saved(admin, { search: 'Ana Meyer' }),
    await saved(admin, { search: 'Zacharias Meyer' }),
    await saved(admin, { search: '🙂' }),
    await saved(admin, { blocked: false }),
  ]
  const elsewhere = await saved(await world.as('admin', world.other), { search: 'Ana Zacharias' })

  expect(await erased(world, id)).toMatchObject({ views: 6, export_searches: 0 })
  expect(world.rows('select id from views order by id')).toEqual(
    [...kept, elsewhere].toSorted().map((view) => ({ id: view })),
  )
})

test('a saved view is found by a name of a contact that was deleted before, or merged into the person', async () => {
  const { world, id, admin } = await worldOfTwo()
  await using _ = world
  const { data: former } = await admin.post('/api/contacts', {
    ...{ phone_number: '+4915112349999', name: 'Zoe Formerly' },
  })
  await admin.post(`/api/contacts/${id}/merge`, { source_id: former['id'] })
  await admin.delete(`/api/contacts/${id}`)
  await saved(admin, { search: 'Formerly' })
  await saved(admin, { search: 'Zacharias' })
  expect(await erased(world, id)).toMatchObject({ views: 2 })
  expect(world.rows('select * from contact_words where words like ?', '%zach%')).toEqual([])
  expect(world.rows('select * from contact_words where words like ?', '%formerly%')).toEqual([])
})

test('a stored answer that shows a deleted view is removed too', async () => {
  const { world, id, admin } = await worldOfTwo()
  await using _ = world
  world.stays('answers to repeated requests')
  const view = { name: 'One', resource: 'contacts', filter: { search: 'Zacharias' } }
  const once = new Client(world.url, { ...admin.headers, 'idempotency-key': 'once' })
  expect((await once.post('/api/views', view)).status).toBe(201)
  expect(await erased(world, id)).toMatchObject({ views: 1, idempotency_answers: 1 })
  expect((await once.post('/api/views', view)).body.code).toBe('idempotency_interrupted')
})

test('searches for an erased person go from exports, and exports that are not written yet end', async () => {
  const { world, id, admin } = await worldOfTwo()
  await using _ = world
  world.stays('exports')
  const asked = async (filters: Loose): Promise<string> => {
    const { status, data } = await admin.post('/api/export', { table: 'contacts', filters })
    expect(status).toBe(201)
    return String(data['id'])
  }
  const written = await asked({ search: 'Zacharias', blocked: false })
  await world.settle()
  const waiting = await asked({ search: `+${NUMBER}` })
  const other = await asked({ search: 'Ana' })

  expect(await erased(world, id)).toMatchObject({ export_searches: 2 })
  const filtersOf = (exportId: string): unknown =>
    JSON.parse(
      world.rows<{ options: string }>('select options from exports where id = ?', exportId)[0]
        ?.options ?? '{}',
    ).filters
  expect([written, waiting, other].map(filtersOf)).toEqual([
    { blocked: false },
    {},
    { search: 'Ana' },
  ])
  expect((await admin.get(`/api/exports/${written}`)).data['status']).toBe('expired')
  expect((await admin.get(`/api/exports/${waiting}`)).data).toMatchObject({
    status: 'failed',
    error: {
      code: 'person_erased',
      message: 'The export searched for a person who was erased.',
    },
  })
  // Its file was deleted, as all that may contain the person.
  expect((await admin.get(`/api/exports/${other}`)).data['status']).toBe('expired')
})

test('segments lose the identifiers of an erased person, and keep words that many have', async () => {
  await using world = await World.create()
  const admin = await world.as('admin')
  await admin.post('/api/contact-attributes', { key: 'mail', label: 'Mail', type: 'email' })
  const { data } = await admin.post('/api/contacts', {
    ...{ phone_number: `+${NUMBER}`, attributes: { mail: 'Ana@Zacharias.example.com' } },
    metadata: { customer: '4711-0815', city: 'Berlin', since: '2026-01-15' },
  })
  const segmentOf = async (name: string, filter: Loose): Promise<string> => {
    const made = await admin.post('/api/segments', { name, filter })
    expect(made.status).toBe(201)
    return String(made.data['id'])
  }
  const mail = (value: unknown, op = 'eq'): Loose => ({ field: 'attributes.mail', op, value })
  const customer = (value: string): Loose => ({ field: 'metadata.customer', op: 'eq', value })
  const city = { field: 'metadata.city', op: 'eq', value: 'Berlin' }
  const since = { field: 'metadata.since', op: 'eq', value: '2026-01-15' }
  const others = ['ana@meyer.example.com']
  const [one, several, kept] = [
    await segmentOf('One', mail('ana@zacharias.example.com')),
    await segmentOf('Several', {
      any: [mail([...others, 'ana@zacharias.example.com'], 'in'), customer('4711-0815'), city],
    }),
    await segmentOf('Kept', { all: [city, since, customer('4711-0816'), mail(others[0])] }),
  ]
  const elsewhere = await world.as('admin', world.other)
  await elsewhere.post('/api/contact-attributes', { key: 'mail', label: 'Mail', type: 'email' })
  const foreign = await elsewhere.post('/api/segments', {
    ...{ name: 'One', filter: mail('ana@zacharias.example.com') },
  })
  expect(await erased(world, String(data['id']))).toMatchObject({ segments: 2 })
  const filterOf = async (id: string, client = admin): Promise<unknown> =>
    (await client.get(`/api/segments/${id}`)).data['filter']
  expect(await filterOf(one)).toEqual(mail('erased'))
  expect(await filterOf(several)).toEqual({
    any: [mail(others, 'in'), customer('erased'), city],
  })
  expect(await filterOf(kept)).toEqual({
    all: [city, since, customer('4711-0816'), mail(others[0])],
  })
  expect(await filterOf(String(foreign.data['id']), elsewhere)).toEqual(
    mail('ana@zacharias.example.com'),
  )
})
