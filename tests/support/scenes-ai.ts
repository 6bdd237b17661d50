import { systemCtx } from '../../src/infra/ctx'
import { transact } from '../../src/infra/db/transact'
import { recordQuestionIn } from '../../src/modules/automation/ai/questions/record'
import type { Loose } from './client'
import type { Stage } from './scenes'
import type { World } from './world'

type Prepare = (world: World) => Promise<Stage> | Stage

const context: Prepare = async (world) => {
  const { data } = await (
    await world.as('admin')
  ).post('/api/chatbot/ai-contexts', { name: 'Delivery', content: 'We deliver within two days.' })
  return { id: String(data['id']) }
}

/** A contact of a tenant asked what no knowledge is about. Returns the ID of the question. */
export async function unknownQuestion(
  world: World,
  { tenant = world.tenant, text = 'Do you deliver to Austria?' } = {},
): Promise<string> {
  const { id: contactId } = await world.contactOf(tenant)
  const ctx = systemCtx(world.program.http, tenant.id)
  transact(ctx.db, (tx) => {
    recordQuestionIn(tx, ctx, { contactId: String(contactId), messageId: null, text })
  })
  const { data } = await (await world.as('admin', tenant)).get('/api/chatbot/ai-questions')
  return String((data['items'] as Loose[])[0]?.['id'])
}

const question: Prepare = async (world) => ({ id: await unknownQuestion(world) })

/** Prepares the data for the documented examples of AI. */
export const AI_STAGES: Record<string, Prepare> = {
  'GET /api/chatbot/ai-contexts/:id': context,
  'PUT /api/chatbot/ai-contexts/:id': context,
  'DELETE /api/chatbot/ai-contexts/:id': context,
  'POST /api/chatbot/ai-contexts/:id/document': context,
  'POST /api/chatbot/ai-contexts/:id/test': context,
  'GET /api/chatbot/ai-questions': question,
  'GET /api/chatbot/ai-questions/:id': question,
  'PUT /api/chatbot/ai-questions/:id': question,
  'POST /api/chatbot/ai/test': async (world) => {
    const client = await world.as('admin')
    await client.put('/api/chatbot/settings', {
      ai_provider: 'anthropic',
      ai_model: 'claude-haiku-4-5',
      ai_api_key: 'sk-ant-example',
    })
    return { client }
  },
}
