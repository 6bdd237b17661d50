import { afterAll, beforeAll, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, Office } from '../../support/campaigns'
import type { Loose } from '../../support/client'

let office: Office

beforeAll(async () => {
  office = await Office.open()
})

afterAll(() => office[Symbol.asyncDispose]())

const noticesOf = async (id: string): Promise<unknown[]> =>
  ((await (await office.manager).get('/api/me/notifications')).data['items'] as Loose[])
    .filter(({ kind, link }) => kind === 'campaign_paused' && link === `/campaigns/${id}`)
    .map(({ body }) => body as unknown)

const platformIdOf = async (templateId: string): Promise<string> =>
  (await (await office.manager).get(`/api/templates/${templateId}`)).data['platform_id'] as string

/** A campaign with a template of its own that is sending, five a second; some of it has gone. */
async function underWay(
  name: string,
  first: number,
): Promise<{ id: string; templateId: string; platformId: string; people: string[] }> {
  const templateId = await approvedTemplate(office.world, { name })
  const people = numbersOf(9, first)
  const id = await office.draftFor(people, { rate_limit: 5, template_id: templateId })
  await office.do(id, 'start')
  await office.world.settle()
  expect(await office.campaign(id)).toMatchObject({ status: 'sending' })
  office.world.clock.advance({ seconds: 2 })
  return { id, templateId, platformId: await platformIdOf(templateId), people }
}

/** Nobody waits at the platform's door any more, and nobody got it twice. */
async function expectPausedCleanly(id: string, people: string[]): Promise<void> {
  const paused = await office.campaign(id)
  expect(paused).toMatchObject({ status: 'paused', pause_reason: 'template', sending_count: 0 })
  expect(
    Number(paused['sent_count']) + Number(paused['pending_count']) + Number(paused['failed_count']),
  ).toBe(9)
  const calls = office.world.simulator.messages.length
  office.world.clock.advance({ minutes: 5 })
  await office.world.settle()
  expect(office.world.simulator.messages.length).toBe(calls)
  expect(people.filter((number) => (office.calls().get(number) ?? 0) > 1)).toEqual([])
}

test('pauses campaigns of a paused template once, and allows a resume when it is active again', async () => {
  const { id, platformId, people } = await underWay('paused_there', 15_550_940_000)
  await office.world.simulator.review(platformId, { event: 'PAUSED', title: 'FIRST_PAUSE' })
  await office.world.settle()
  await expectPausedCleanly(id, people)
  expect(await noticesOf(id)).toEqual([expect.stringContaining('PAUSED')])
  expect((await office.do(id, 'resume')).body).toMatchObject({ code: 'template_not_approved' })
  office.world.clock.advance({ seconds: 5 })
  await office.world.simulator.review(platformId, { event: 'APPROVED', title: 'UNPAUSE' })
  await office.world.settle()
  expect((await office.do(id, 'resume')).status).toBe(200)
  expect(await office.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
  expect(people.map((number) => office.calls().get(number))).toEqual(people.map(() => 1))
})

test('stops campaigns permanently when the platform deletes their template', async () => {
  const { id, platformId, people } = await underWay('deleted_there', 15_550_941_000)
  office.world.simulator.deleteTemplate(platformId)
  // The platform refuses what is called from then on, which has the templates fetched.
  await office.world.settle()
  await expectPausedCleanly(id, people)
  const failed = await office.recipients(id, '&status=failed')
  expect(failed.length).toBeGreaterThan(0)
  expect(new Set(failed.map(({ error }) => error?.platform_code as unknown))).toEqual(
    new Set([132_001]),
  )
  expect(await noticesOf(id)).toEqual([expect.stringContaining('DELETED')])
  expect((await office.do(id, 'resume')).body).toMatchObject({ code: 'template_not_approved' })
  expect((await office.do(id, 'cancel')).data).toMatchObject({
    status: 'cancelled',
    pending_count: 0,
  })
})

test('pauses campaigns when the category of their template changes', async () => {
  const { id, platformId, people } = await underWay('recategorised', 15_550_942_000)
  const category = { previous_category: 'MARKETING', new_category: 'UTILITY' }
  await office.world.simulator.sendTemplateWebhook(platformId, 'template_category_update', category)
  await office.world.settle()
  await expectPausedCleanly(id, people)
  expect(await noticesOf(id)).toEqual([expect.stringContaining('category')])
  expect((await office.do(id, 'resume')).status).toBe(200)
  expect(await office.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
})
