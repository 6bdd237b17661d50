import { afterAll, beforeAll, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

const noticesOf = async (id: string): Promise<unknown[]> =>
  ((await (await fixture.manager).get('/api/me/notifications')).data['items'] as Loose[])
    .filter(({ kind, link }) => kind === 'campaign_paused' && link === `/campaigns/${id}`)
    .map(({ body }) => body as unknown)

const platformIdOf = async (templateId: string): Promise<string> =>
  (await (await fixture.manager).get(`/api/templates/${templateId}`)).data['platform_id'] as string

/** A campaign with a template of its own that is sending, five a second; some of it has gone. */
async function underWay(
  name: string,
  first: number,
): Promise<{ id: string; templateId: string; platformId: string; people: string[] }> {
  const templateId = await approvedTemplate(fixture.world, { name })
  const people = numbersOf(9, first)
  const id = await fixture.draftFor(people, { rate_limit: 5, template_id: templateId })
  await fixture.do(id, 'start')
  await fixture.world.settle()
  expect(await fixture.campaign(id)).toMatchObject({ status: 'sending' })
  fixture.world.clock.advance({ seconds: 2 })
  return { id, templateId, platformId: await platformIdOf(templateId), people }
}

/** Nobody waits at the platform's door any more, and nobody got it twice. */
async function expectPausedCleanly(id: string, people: string[]): Promise<void> {
  const paused = await fixture.campaign(id)
  expect(paused).toMatchObject({ status: 'paused', pause_reason: 'template', sending_count: 0 })
  expect(
    Number(paused['sent_count']) + Number(paused['pending_count']) + Number(paused['failed_count']),
  ).toBe(9)
  const calls = fixture.world.simulator.messages.length
  fixture.world.clock.advance({ minutes: 5 })
  await fixture.world.settle()
  expect(fixture.world.simulator.messages.length).toBe(calls)
  expect(people.filter((number) => (fixture.calls().get(number) ?? 0) > 1)).toEqual([])
}

test('pauses campaigns of a paused template once, and allows a resume when it is active again', async () => {
  const { id, platformId, people } = await underWay('paused_there', 15_550_940_000)
  await fixture.world.simulator.review(platformId, { event: 'PAUSED', title: 'FIRST_PAUSE' })
  await fixture.world.settle()
  await expectPausedCleanly(id, people)
  expect(await noticesOf(id)).toEqual([expect.stringContaining('PAUSED')])
  expect((await fixture.do(id, 'resume')).body).toMatchObject({ code: 'template_not_approved' })
  fixture.world.clock.advance({ seconds: 5 })
  await fixture.world.simulator.review(platformId, { event: 'APPROVED', title: 'UNPAUSE' })
  await fixture.world.settle()
  expect((await fixture.do(id, 'resume')).status).toBe(200)
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
  expect(people.map((number) => fixture.calls().get(number))).toEqual(people.map(() => 1))
})

test('stops campaigns permanently when the platform deletes their template', async () => {
  const { id, platformId, people } = await underWay('deleted_there', 15_550_941_000)
  fixture.world.simulator.deleteTemplate(platformId)
  // The platform refuses what is called from then on, which has the templates fetched.
  await fixture.world.settle()
  await expectPausedCleanly(id, people)
  const failed = await fixture.recipients(id, '&status=failed')
  expect(failed.length).toBeGreaterThan(0)
  expect(new Set(failed.map(({ error }) => error?.platform_code as unknown))).toEqual(
    new Set([132_001]),
  )
  expect(await noticesOf(id)).toEqual([expect.stringContaining('DELETED')])
  expect((await fixture.do(id, 'resume')).body).toMatchObject({ code: 'template_not_approved' })
  expect((await fixture.do(id, 'cancel')).data).toMatchObject({
    status: 'cancelled',
    pending_count: 0,
  })
})

test('pauses campaigns when the category of their template changes', async () => {
  const { id, platformId, people } = await underWay('recategorised', 15_550_942_000)
  const category = { previous_category: 'MARKETING', new_category: 'UTILITY' }
  await fixture.world.simulator.sendTemplateWebhook(
    platformId,
    'template_category_update',
    category,
  )
  await fixture.world.settle()
  await expectPausedCleanly(id, people)
  expect(await noticesOf(id)).toEqual([expect.stringContaining('category')])
  expect((await fixture.do(id, 'resume')).status).toBe(200)
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
})
