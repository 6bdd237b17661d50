import { expect, test } from 'bun:test'

import { systemCtx } from '../../../../src/infra/ctx'
import { transact } from '../../../../src/infra/db/transact'
import {
  botFlows,
  botFlowVersions,
} from '../../../../src/modules/automation/chatbot/bot-flows/table'
import { BotWorld } from '../../../support/bots'
import { setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'

const FLOW_ID = '01900000-0000-7000-8000-00000000aaaa'

const GRAPH = {
  version: 2,
  entry_node: 'start',
  nodes: [
    { id: 'start', type: 'start', label: null, position: null, config: {} },
    { id: 'hours', type: 'message', label: null, position: null, config: { message: 'From 9' } },
    { id: 'end', type: 'end', label: null, position: null, config: {} },
  ],
  edges: [
    { from: 'start', to: 'hours', condition: 'default' },
    { from: 'hours', to: 'end', condition: 'default' },
  ],
}

const SETTINGS = {
  initialMessage: null,
  completionMessage: null,
  onCompleteAction: 'none' as const,
  completion: null,
  cancelKeywords: [],
  cancelMessage: null,
  timeoutMinutes: null,
  timeoutMessage: null,
  panel: null,
}

/** Stores a published bot flow that answers the word `hours`. */
function addFlow({ world }: BotWorld): void {
  const ctx = systemCtx(world.program.http, world.tenant.id)
  const { organizationId } = ctx
  transact(ctx.db, (tx) => {
    tx.insert(botFlows)
      .values({
        organizationId,
        id: FLOW_ID,
        name: 'Opening hours',
        nameKey: 'opening hours',
        words: 'hours',
        isEnabled: true,
        triggerKeywords: ['hours'],
        triggerMatchType: 'contains',
        priority: 10,
        settings: SETTINGS,
        version: 1,
        hasDraft: false,
        createdAtMs: 1,
        updatedAtMs: 1,
      })
      .run()
    tx.insert(botFlowVersions)
      .values({
        organizationId,
        flowId: FLOW_ID,
        version: 1,
        publishedAtMs: 1,
        graph: JSON.stringify(GRAPH),
      })
      .run()
  })
}

test('the costs of the bot are shown by bot flow', async () => {
  await using bot = await BotWorld.create({ fallback_message: 'Sorry?' })
  addFlow(bot)
  setPrice(bot.world, { category: 'SERVICE', micros: 8_000 })
  bot.world.simulator.freeServiceMessages(0)
  expect(await bot.say('What are your hours?')).toEqual(['From 9'])
  expect(await bot.say('Something else')).toEqual(['Sorry?'])
  const by = async (group: string): Promise<unknown[]> =>
    ((await bot.admin.get(`/api/analytics/costs?group_by=${group}`)).data['groups'] as Loose[]).map(
      ({ key, name, cost }) => [key, name, cost],
    )
  expect(await by('bot_flow')).toEqual([
    [null, null, '0.008'],
    [FLOW_ID, 'Opening hours', '0.008'],
  ])
  expect(await by('source')).toEqual([['chatbot', null, '0.016']])
})
