import { describe, expect, test } from 'bun:test'

import { ChatbotSettingsChanges } from '../../../../src/modules/automation/chatbot-settings/model'
import { AiWorld } from '../../../support/ai'
import { BotWorld } from '../../../support/bots'
import type { Loose } from '../../../support/client'

/** The only customer's contact, which gets a name. */
async function named(bot: BotWorld, name: string): Promise<string> {
  const id = await bot.silently(() => bot.customer.says('hi'))
  await bot.admin.put(`/api/contacts/${id}`, { name })
  return id
}

describe('texts of the settings are templates', () => {
  test('greeting, fallback and their buttons', async () => {
    await using bot = await BotWorld.create({
      greeting_message: 'Hello {{ contact.name | default: "there" }}!',
      greeting_buttons: [{ title: '{{ contact_name }}!' }],
      fallback_message: 'Sorry {{ contact_name }}, what is "{{ message.text }}"?',
    })
    await named(bot, 'Ana')
    expect(await bot.say('hm')).toEqual(['Hello Ana! [Ana!]'])
    expect(await bot.say('hm')).toEqual(['Sorry Ana, what is "hm"?'])
  })

  test('the message for closed hours', async () => {
    await using bot = await BotWorld.create({
      business_hours_enabled: true,
      business_hours: [],
      holidays: [],
      ...closed(),
      allow_automated_outside_hours: false,
      out_of_hours_notice: false, // nothing while the bot is off
      out_of_hours_message: '{{ contact_name }}, we sleep.',
    })
    await named(bot, 'Ana')
    expect(await bot.say('hm')).toEqual(['Ana, we sleep.'])
  })

  test('reminder and goodbye of the bot', async () => {
    await using bot = await BotWorld.create({
      greeting_message: 'Hello!',
      session_timeout_minutes: 60,
      client_reminder_enabled: true,
      client_reminder_minutes: 5,
      client_reminder_message: 'Still there, {{ contact_name }}?',
      client_auto_close_minutes: 10,
      client_auto_close_message: 'Bye, {{ contact_name }}.',
    })
    await named(bot, 'Ana')
    await bot.say('hm')
    expect(await bot.wait({ minutes: 6 })).toEqual(['Still there, Ana?'])
    expect(await bot.wait({ minutes: 6 })).toEqual(['Bye, Ana.'])
  })

  test('warning of a transfer that nobody answers', async () => {
    await using bot = await BotWorld.create({
      transfer_keywords: ['person'],
      sla_enabled: true,
      sla_escalation_minutes: 5,
      sla_warning_message: 'Sorry, {{ contact.name }}.',
    })
    await named(bot, 'Ana')
    await bot.say('person')
    expect(await bot.wait({ minutes: 6 })).toEqual(['Sorry, Ana.'])
  })

  test('one that gives nothing is not sent', async () => {
    await using bot = await BotWorld.create({
      greeting_message: '{{ contact.nothing }}',
      fallback_message: 'What?',
    })
    expect(await bot.say('hm')).toEqual(['What?'])
  })

  test('disclosure and message about other topics of the AI', async () => {
    const own = await AiWorld.create()
    try {
      await own.configure({
        chatbot_enabled: true,
        debounce_seconds: 0,
        ai_disclosure_text: { en: 'AI for {{ contact_name }}.' },
        ai_off_topic_message: 'Not that, {{ contact_name }}.',
      })
      own.ai.answers = ({ user }) => (user.includes('weather') ? '<off_topic>' : 'At nine.')
      const customer = own.world.simulator.customer({ phone: own.world.tenant.phoneId })
      const heard: unknown[] = []
      for (const text of ['When?', 'The weather?']) {
        await customer.says(text)
        await own.world.settle()
        const last = customer.received().at(-1)?.body as Loose
        heard.push((last['text'] as Loose)['body'])
      }
      const name = own.world.rows('select profile_name as name from contacts')[0]?.['name']
      expect(heard).toEqual([`AI for ${String(name)}.\n\nAt nine.`, `Not that, ${String(name)}.`])
    } finally {
      await own.stop()
    }
  })
})

/** Business hours of a single minute, which is not now. */
const closed = (): Loose => ({
  business_hours: [{ day: 'monday', start_time: '03:00', end_time: '03:01' }],
})

test('every text to customers is checked when it is saved', async () => {
  await using bot = await BotWorld.create()
  const messages = Object.keys(ChatbotSettingsChanges.properties).filter((field) =>
    field.includes('_message'),
  )
  expect(messages.length).toBeGreaterThanOrEqual(8)
  for (const field of messages) {
    const { status, body } = await bot.admin.put('/api/chatbot/settings', { [field]: '{{ a' })
    expect([field, status, body]).toMatchObject([
      field,
      400,
      { code: 'invalid_input', errors: [{ path: `body.${field}` }] },
    ])
  }
  for (const [path, change] of [
    ['body.ai_disclosure_text.de', { ai_disclosure_text: { de: '{% if %}' } }],
    ['body.greeting_buttons.0.title', { greeting_buttons: [{ title: '{{ a | nope }}' }] }],
  ] as const) {
    const { status, body } = await bot.admin.put('/api/chatbot/settings', change)
    expect([status, body]).toMatchObject([400, { errors: [{ path }] }])
  }
})

describe('`contact.name`', () => {
  test('is the profile name where the contact has no name, for the bot and for people', async () => {
    await using bot = await BotWorld.create()
    await bot.rule({ keywords: ['who'], response: '{{ contact.name }}, {{ contact_name }}' })
    const id = await bot.silently(() => bot.customer.says('hi'))
    const { data: contact } = await bot.admin.get(`/api/contacts/${id}`)
    const { profile_name: profile } = contact
    expect(contact).toMatchObject({ name: null, profile_name: expect.any(String) })
    expect(await bot.say('who')).toEqual([`${String(profile)}, ${String(profile)}`])

    const { data: action } = await bot.admin.post('/api/custom-actions', {
      name: 'Find',
      action_type: 'url',
      config: { url: 'https://example.com/?q={{contact.name}}' },
    })
    const run = await bot.admin.post(`/api/custom-actions/${String(action['id'])}/execute`, {
      contact_id: id,
    })
    const { pathname } = new URL(String(run.data['redirect_url']))
    const redirect = await bot.world.anyone.get(pathname)
    expect(redirect.headers.get('location')).toBe(
      `https://example.com/?q=${encodeURIComponent(String(profile))}`,
    )
  })

  test('is missing where nobody knows one: not the number', async () => {
    await using bot = await BotWorld.create()
    await bot.rule({ keywords: ['who'], response: '{{ contact.name | default: "friend" }}' })
    const id = await bot.silently(() => bot.customer.says('hi'))
    bot.world.program.http.db.sqlite.run('update contacts set profile_name = null')
    const { data } = await bot.admin.post('/api/chatbot/preview', {
      message: 'who',
      contact_id: id,
    })
    expect(data['replies']).toMatchObject([{ message: { text: 'friend' } }])
  })
})
