import { afterAll, beforeAll, expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { World } from '../../../support/world'

const PATH = '/api/chatbot/settings'

let world: World
let admin: Client
beforeAll(async () => {
  world = await World.create()
  admin = await world.as('admin')
})
afterAll(() => world.stop())

const text = (length: number): string => 'ä'.repeat(length)
const buttons = (many: number): Loose[] =>
  Array.from({ length: many }, (_, at) => ({ title: `${at}`.padEnd(20, 'x') }))
const many = <T>(length: number, of: (at: number) => T): T[] =>
  Array.from({ length }, (_, at) => of(at))
const day = (at: number): string => new Date(Date.UTC(2027, 0, 1 + at)).toISOString().slice(0, 10)
const hours = (at: number): Loose => ({
  day: 'monday',
  start_time: '09:00',
  end_time: `10:${String(at).padStart(2, '0')}`,
})

/** The limits of each setting: values that are accepted, and values just beyond them. */
const LIMITS: [field: string, accepted: unknown[], refused: unknown[]][] = [
  ['chatbot_enabled', [true, false], ['true', 1, null]],
  ['disabled_action', ['transfer', 'none'], ['queue', null]],
  ['greeting_message', [text(1_024), null], [text(1_025), 5]],
  ['greeting_buttons', [buttons(10), []], [buttons(11), [{ title: text(21) }], [{ title: '' }]]],
  ['fallback_message', [text(1_024), null], [text(1_025)]],
  ['fallback_buttons', [buttons(4)], [buttons(11)]],
  ['fallback_on_media', [true, false], [null]],
  ['fallback_transfer_after', [1, 20, null], [0, 21, 1.5, '3']],
  [
    'transfer_keywords',
    [many(50, (at) => `word ${at}`), [text(64)]],
    [many(51, String), [text(65)], ['']],
  ],
  ['session_timeout_minutes', [1, 1_440], [0, 1_441, null]],
  ['debounce_seconds', [0, 30], [-1, 31, 0.5]],
  ['human_takeover_minutes', [0, 1_440], [-1, 1_441]],
  [
    'excluded_numbers',
    [many(1_000, (at) => `+4930${100_000 + at}`), []],
    [many(1_001, (at) => `+4930${100_000 + at}`), ['nobody']],
  ],
  [
    'business_hours',
    [many(28, hours)],
    [many(29, hours), [{ day: 7, start_time: '09:00', end_time: '10:00' }]],
  ],
  [
    'business_hours',
    [
      [{ day: 0, start_time: '00:00', end_time: '24:00' }],
      [{ day: 'sunday', enabled: false, start_time: '22:00', end_time: '06:00' }],
    ],
    [
      [{ day: 'monday', start_time: '24:00', end_time: '24:00' }],
      [{ day: 'monday', start_time: '9:00', end_time: '10:00' }],
      [{ day: 'monday', start_time: '09:00', end_time: '24:01' }],
      [{ day: 'monday', start_time: '09:60', end_time: '10:00' }],
      [{ day: 'Montag', start_time: '09:00', end_time: '10:00' }],
    ],
  ],
  [
    'holidays',
    [many(366, (at) => ({ date: day(at), name: 'H', intervals: [] }))],
    [many(367, (at) => ({ date: day(at) })), [{ date: '2027-02-30' }], [{ date: '01.01.2027' }]],
  ],
  ['out_of_hours_message', [text(1_024), null], [text(1_025)]],
  ['allow_automated_outside_hours', [true, false], [null]],
  ['transfer_outside_hours', ['refuse', 'queue'], ['drop']],
  ['allow_agent_queue_pickup', [false, true], ['no']],
  ['assign_to_same_agent', [false, true], ['no']],
  ['agent_current_conversation_only', [true, false], ['no']],
  ['agent_max_active_transfers', [1, 1_000, null], [0, 1_001]],
  ['sla_enabled', [true, false], ['yes']],
  ['sla_response_minutes', [1, 10_080], [0, 10_081, null]],
  ['sla_resolution_minutes', [1, 10_080], [0, 10_081]],
  ['sla_escalation_minutes', [1, 10_080], [0, 10_081]],
  ['sla_business_hours_only', [true, false], [0]],
  ['sla_warning_message', [text(1_024), null], [text(1_025)]],
  ['sla_auto_close_hours', [1, 720, null], [0, 721]],
  ['sla_auto_close_message', [text(1_024), null], [text(1_025)]],
  ['client_reminder_enabled', [true, false], ['yes']],
  ['client_reminder_minutes', [1, 30], [0, 1.5, null]],
  ['client_reminder_message', [text(1_024), null], [text(1_025)]],
  ['client_auto_close_message', [text(1_024), null], [text(1_025)]],
  ['ai_provider', ['anthropic', 'google', 'openai', null], ['mistral']],
  ['ai_base_url', [null], ['https://127.0.0.1/v1', 'ai.example.com', 5]],
  ['ai_model', ['m'.repeat(100), null], ['m'.repeat(101)]],
  ['system_prompt', [text(16_000), null], [text(16_001)]],
  ['ai_temperature', [0, 2, 0.7], [-0.1, 2.1]],
  ['ai_max_tokens', [1, 4_096], [0, 4_097]],
  ['ai_include_history', [false, true], [1]],
  ['ai_history_limit', [0, 50], [-1, 51]],
  ['ai_timeout_seconds', [3, 60], [2, 61]],
  ['ai_purpose', [text(10), text(1_000), null], [text(9), text(1_001)]],
  ['ai_disclosure', ['always', 'off', 'first_in_session'], ['never']],
  ['ai_disclosure_text', [{ de: text(300), 'pt-BR': 'Oi' }, {}], [{ de: text(301) }, { '': 'x' }]],
  ['ai_off_topic_message', [text(1_024), null], [text(1_025)]],
  ['ai_data_terms_confirmed', [true, false], ['yes']],
  ['coalesce', [false, true], ['no']],
  ['ai_handover', [false, true], ['no']],
  ['ai_daily_token_budget', [1_000, null], [-1, 1.5]],
  ['ai_monthly_token_budget', [1_000, null], [-1, 1.5]],
  ['ai_price_input_per_million_usd', [null, 0.15], [-1]],
  ['ai_price_output_per_million_usd', [null, 0.6], [-1]],
  ['ai_monthly_cost_limit_usd', [0.5, null], [-1, '5']],
  ['ai_replies_per_contact_per_hour', [1, 1_000], [0, 1_001, null]],
]

test.each(LIMITS)('%s has its limits', async (field, accepted, refused) => {
  for (const value of accepted) {
    const { status, body, data } = await admin.put(PATH, { [field]: value })
    expect([status, body.errors ?? null, typeof value]).toEqual([200, null, typeof value])
    if (typeof value !== 'object') expect(data[field]).toEqual(value)
  }
  for (const value of refused) {
    const { status, body } = await admin.put(PATH, { [field]: value })
    expect([status, body.errors?.[0]?.path.split('.').slice(0, 2).join('.')]).toEqual([
      400,
      `body.${field}`,
    ])
  }
})
