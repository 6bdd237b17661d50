import { describe, expect, test } from 'bun:test'

import { Outbox } from '../../../support/outbox'
import { approvedTemplate } from '../../../support/templates'

const BODY = [{ type: 'BODY', text: 'Twenty percent off today.' }]

describe('an opt-out while a template is queued', () => {
  test('holds back marketing only', async () => {
    await using outbox = await Outbox.open({ tenants: 1 })
    const { world } = outbox
    const [contact] = await outbox.contacts(1)
    const offer = await approvedTemplate(world, { category: 'MARKETING', components: BODY })
    const receipt = await approvedTemplate(world, { category: 'UTILITY', components: BODY })
    const manager = await world.as('manager')
    const queue = async (template: { [key: string]: unknown }): Promise<string> => {
      const { status, data } = await manager.post('/api/messages/template', {
        contact_id: contact?.['id'],
        template_id: template['id'],
      })
      expect(status).toBe(201)
      return String(data['id'])
    }
    const [marketing, utility] = [await queue(offer), await queue(receipt)]
    expect((await outbox.read(marketing))['status']).toBe('pending')
    await manager.post(`/api/contacts/${contact?.['id'] as string}/consents`, {
      state: 'opted_out',
    })
    await world.settle()
    expect(await outbox.read(marketing)).toMatchObject({
      status: 'failed',
      error: { code: 'opted_out', retryable: false },
    })
    expect(await outbox.read(utility)).toMatchObject({ status: 'delivered', error: null })
    expect(outbox.calls()).toBe(1)
    const later = await manager.post('/api/messages/template', {
      contact_id: contact?.['id'],
      template_id: offer['id'],
    })
    expect([later.status, later.body.code]).toEqual([400, 'opted_out'])
  })
})
