import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { TEMPLATE_KINDS, SAMPLE } from '../../../support/template-kinds'
import { World } from '../../../support/world'

let world: World
let admin: Client

beforeAll(async () => {
  world = await World.create()
  world.simulator.acceptHandle(SAMPLE)
  admin = await world.as('admin')
})

afterAll(() => world.stop())

const stored = new Map<string, Loose>()

describe.each(TEMPLATE_KINDS)('a template of the kind $name', (kind) => {
  const { name, category, components, wire = {} } = kind

  test('is stored as it was written, and WhatsApp gets the same', async () => {
    const content = { category, components }
    const checked = await admin.post('/api/templates/validate', content)
    expect(checked.data).toEqual({ valid: true, errors: [] })
    const draft = { account_id: world.tenant.accountId, name, language: 'en', ...content }
    const made = await admin.post('/api/templates', draft)
    expect(made.data['components']).toEqual(components)
    const path = `/api/templates/${String(made.data['id'])}`
    // what is saved again unchanged is the same
    expect((await admin.put(path, content)).data['components']).toEqual(components)
    const published = await admin.post(`${path}/publish`)
    expect(published.body).toMatchObject({ data: { status: 'PENDING' } })
    const submitted = world.simulator
      .templatesOf(String(world.tenant.wabaId))
      .find((one) => one.name === name)
    expect(submitted?.category).toBe(category)
    const got = components.map((one) => wire[String(one['type'])] ?? one)
    expect(submitted?.components).toEqual(got)
    stored.set(name, published.data)
  })
})

test.each(TEMPLATE_KINDS.filter(({ params }) => params !== undefined))(
  'a template of the kind $name is sent to a phone as a test',
  async ({ name, params, sent }) => {
    const { id, platform_id: platformId } = stored.get(name) ?? {}
    await world.simulator.review(String(platformId), { event: 'APPROVED' })
    await world.settle()
    const number = '+15550107777'
    const body = { phone_number: number, ...params }
    const answer = await admin.post(`/api/templates/${String(id)}/test`, body)
    expect(answer.body).toMatchObject({ data: { type: 'template' } })
    await world.settle()
    const call = world.simulator.messages.find(
      ({ body: taken }) => (taken as Loose)['biz_opaque_callback_data'] === answer.data['id'],
    )
    const template = ((call?.body ?? {}) as Loose)['template'] as Loose
    expect(template).toMatchObject({ name, language: { code: 'en' } })
    if (sent) expect(template['components'] ?? []).toEqual(sent)
  },
)
