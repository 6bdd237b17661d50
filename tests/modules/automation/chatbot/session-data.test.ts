import { expect, test } from 'bun:test'

import { BotWorld } from '../../../support/bots'

test('the panel beside a conversation shows the answers of the flow, also when it has ended', async () => {
  await using bot = await BotWorld.create()
  const id = await bot.silently(() => bot.customer.says('hi'))
  const read = async () => (await bot.admin.get(`/api/contacts/${id}/session-data`)).data
  const nothing = {
    session_id: null,
    flow_id: null,
    flow_name: null,
    session_data: null,
    panel_config: null,
  }
  await bot.say('hello')
  expect(await read()).toEqual(nothing)

  const flowId = await bot.flow(
    [
      ['size', 'prompt', { body: 'Size?', store_as: 'size' }],
      ['color', 'prompt', { body: 'Color?', store_as: 'color' }],
      ['end', 'end', { message: 'Done.' }],
    ],
    {
      name: 'Shirts',
      panel_config: {
        sections: [
          {
            id: 'shirt',
            label: 'Shirt',
            fields: [{ key: 'size', label: 'Size' }],
          },
        ],
      },
    },
  )
  await bot.say('begin')
  await bot.say('L')
  expect(await read()).toMatchObject({
    flow_id: flowId,
    flow_name: 'Shirts',
    session_data: { size: 'L' },
    panel_config: { sections: [{ fields: [{ key: 'size', label: 'Size' }] }] },
  })
  await bot.say('red')
  const finished = await read()
  expect(finished).toMatchObject({ flow_id: flowId, session_data: { size: 'L', color: 'red' } })
  await bot.wait({ hours: 2 })
  await bot.say('hello again')
  expect(await read()).toEqual(finished)
  // a deleted flow is kept as long as a session names it
  expect((await bot.admin.delete(`/api/chatbot/flows/${flowId}`)).status).toBe(200)
  await bot.wait({ hours: 26 })
  expect(await read()).toMatchObject({ flow_name: 'Shirts', session_data: { size: 'L' } })

  await bot.flow([['name', 'prompt', { body: 'Name?', store_as: 'name' }]], {
    name: 'Names',
    trigger_keywords: ['name'],
  })
  await bot.say('name')
  expect(await read()).toMatchObject({ flow_name: 'Names', session_data: {} })
})
