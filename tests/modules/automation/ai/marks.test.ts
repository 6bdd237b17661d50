import { expect, test } from 'bun:test'
import { parse } from 'csv-parse/sync'

import { AiWorld } from '../../../support/ai'
import type { Loose } from '../../../support/client'
import { fetchRaw } from '../../../support/files'
import { exported } from '../../../support/imports'
import { entriesOf } from '../../../support/privacy-export'
import { Receiver } from '../../../support/receiver'

const WA_ID = '15550009001'

test('a message that AI wrote says so in the API, in webhooks, files, exports and when sent again', async () => {
  await using receiver = new Receiver()
  const own = await AiWorld.create({ allow: [new URL(receiver.url).host] })
  try {
    const { world, admin } = own
    await own.configure({ chatbot_enabled: true, debounce_seconds: 0 })
    await admin.post('/api/webhooks', {
      name: 'CRM',
      url: receiver.url,
      events: ['message.sent', 'message.received'],
    })
    own.ai.answers = () => 'Yes.'
    world.simulator.fail({ code: 100 }, { route: 'messages', times: 1 })
    await world.simulator.customer({ phone: world.tenant.phoneId, waId: WA_ID }).says('Open?')
    await world.settle()
    const { data: found } = await admin.get(`/api/contacts?search=${WA_ID}`)
    const contactId = String((found['items'] as Loose[])[0]?.['id'])
    const outgoing = async (): Promise<Loose[]> =>
      ((await admin.get(`/api/contacts/${contactId}/messages`)).data['items'] as Loose[]).filter(
        ({ direction }) => direction === 'outgoing',
      )
    const [failed] = await outgoing()
    expect(failed).toMatchObject({ status: 'failed', ai_generated: true, ai_model: 'gpt-4o-mini' })
    const again = await admin.post(`/api/messages/${String(failed?.['id'])}/resend`)
    expect(again.data).toMatchObject({ ai_generated: true, ai_model: 'gpt-4o-mini' })
    await world.settle()

    const events = receiver.received.map(({ body }) => [body.type, body.data['ai_generated']])
    expect(events).toContainEqual(['message.received', false])
    expect(events).toContainEqual(['message.sent', true])

    const file = await exported(world, admin, { table: 'messages', format: 'jsonl' })
    const rows = file.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Loose)
    expect(rows).toHaveLength(3)
    expect(rows.filter(({ ai_generated }) => ai_generated === true)).toHaveLength(2)

    const conversationId = String(failed?.['conversation_id'])
    const transcript = async (format: string): Promise<string> =>
      (
        await fetchRaw(admin, `/api/conversations/${conversationId}/transcript?format=${format}`)
      ).text()
    const lines = parse<Record<string, string>>(await transcript('csv'), {
      columns: true,
      bom: true,
    })
    expect(lines.map(({ ai_generated }) => ai_generated)).toEqual(['false', 'true', 'true'])
    expect((await transcript('html')).match(/Written by AI/g)).toHaveLength(2)
    const { entries } = JSON.parse(await transcript('json')) as { entries: Loose[] }
    expect(entries.map(({ ai_generated }) => ai_generated)).toEqual([false, true, true])

    const { data } = await admin.post(`/api/contacts/${contactId}/privacy-export`)
    await world.settle()
    const files = await entriesOf(world, admin, String(data['id']))
    const archived = (files.get('messages.jsonl') ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Loose)
    expect(archived.map(({ ai_generated }) => ai_generated)).toEqual([false, true, true])
  } finally {
    await own.stop()
  }
})
