import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture.world.stop())

const TWO = {
  type: 'BODY',
  text: 'Hello {{1}}, we have news for you and {{2}} today my dear.',
  example: { body_text: [['Ann', 'Bob']] },
}
const ONE = {
  type: 'BODY',
  text: 'Hello {{1}}, we have news for you today my dear.',
  example: { body_text: [['Ann']] },
}

/** Publishes other components of an approved template, which the platform approves. */
async function republish(templateId: string, components: Loose[]): Promise<void> {
  fixture.world.clock.advance({ hours: 25 })
  const admin = await fixture.world.as('admin')
  await admin.put(`/api/templates/${templateId}`, { components })
  const { data } = await admin.post(`/api/templates/${templateId}/publish`)
  await fixture.world.simulator.review(data['platform_id'] as string, { event: 'APPROVED' })
  await fixture.world.settle()
}

describe('values that cannot be sent', () => {
  test('are rejected in the campaign', async () => {
    for (const [field, value] of [
      ['variable_mapping', { '1': { value: 'two\nlines' } }],
      ['variable_mapping', { '1': { field: 'name', default: 'a\ttab' } }],
      ['default_params', { '1': 'two\nlines' }],
    ] as const) {
      const { status, body } = await (
        await fixture.manager
      ).post('/api/campaigns', {
        name: 'Odd',
        account_id: fixture.world.tenant.accountId,
        template_id: fixture.templateId,
        [field]: value,
      })
      expect({ status, paths: body.errors?.map(({ path }) => path) }).toEqual({
        status: 400,
        paths: [`body.${field}.1`],
      })
    }
  })

  test('are rejected row by row in an import', async () => {
    const id = await fixture.draft()
    const { data } = await fixture.do(id, 'recipients/import', {
      recipients: [
        { phone_number: '15551100001', template_params: { '1': 'two\nlines' } },
        { phone_number: '15551100002', template_params: { '1': 'fine', '2': 'surplus' } },
        { phone_number: '15551100003', template_params: { '1': 'fine' } },
        { phone_number: '15551100004', header_params: { '1': 'no header' } },
      ],
    })
    expect(data).toMatchObject({ imported: 1, invalid: 3 })
    expect(
      (data['errors'] as Loose[]).map(
        ({ row, reason }) => [row, String(reason).split(' ')[0]] as unknown,
      ),
    ).toEqual([
      [1, 'template_params.1'],
      [2, 'template_params.2'],
      [4, 'header_params.1'],
    ])
  })

  test('block the start and pause sending when the template loses a variable, until it is back', async () => {
    const templateId = await approvedTemplate(fixture.world, { name: 'two', components: [TWO] })
    const mapping = { '1': { field: 'name', default: 'x' }, '2': { value: 'y' } }
    const id = await fixture.draftFor(numbersOf(3, 15_551_110_000), {
      template_id: templateId,
      variable_mapping: mapping,
    })
    const going = await fixture.draftFor(numbersOf(3, 15_551_111_000), {
      template_id: templateId,
      variable_mapping: mapping,
      rate_limit: 1,
    })
    const own = await fixture.draft({
      template_id: templateId,
      variable_mapping: { '1': { value: 'x' } },
    })
    const recipients = numbersOf(60, 15_551_112_000).map((phone_number) => ({
      phone_number,
      template_params: { '2': 'y' },
    }))
    expect((await fixture.do(own, 'recipients/import', { recipients })).data['imported']).toBe(60)
    expect((await fixture.do(going, 'start')).status).toBe(200)
    expect((await fixture.do(going, 'pause')).status).toBe(200)
    await republish(templateId, [ONE])
    for (const [campaign, step] of [
      [id, 'start'],
      [going, 'resume'],
    ] as const) {
      const { status, body } = await fixture.do(campaign, step)
      expect({ status, code: body.code, paths: body.errors?.map(({ path }) => path) }).toEqual({
        status: 400,
        code: 'invalid_params',
        paths: ['body.variable_mapping.2'],
      })
    }
    // What single recipients bring along nobody can foresee: their failures count like those of the
    // platform.
    expect((await fixture.do(own, 'start')).status).toBe(200)
    const paused = await fixture.run(own)
    expect(paused).toMatchObject({ status: 'paused', pause_reason: 'error_rate', sent_count: 0 })
    expect(paused['failed_count']).toBeLessThan(60)
    await republish(templateId, [TWO])
    expect(
      (await fixture.do(own, 'retry-failed', { codes: ['invalid_params'] })).data['retry_count'],
    ).toBe(paused['failed_count'])
    expect((await fixture.do(own, 'resume')).status).toBe(200)
    expect(await fixture.run(own)).toMatchObject({
      status: 'completed',
      sent_count: 60,
      failed_count: 0,
    })
  })
})

test('restores a deleted contact that is imported by number', async () => {
  const manager = await fixture.manager
  const { data: contact } = await manager.post('/api/contacts', {
    phone_number: '15551120001',
    name: 'Gone Before',
  })
  expect(
    (await (await fixture.world.as('admin')).delete(`/api/contacts/${contact['id']}`)).status,
  ).toBe(200)
  await fixture.world.settle()
  const id = await fixture.draftFor(['15551120001'])
  expect((await fixture.do(id, 'dry-run')).data).toMatchObject({ eligible: 1, excluded: {} })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: 1,
    skipped_count: 0,
  })
  expect((await (await fixture.manager).get(`/api/contacts/${contact['id']}`)).status).toBe(200)
})
