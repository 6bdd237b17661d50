import { AiSimulator } from '../simulator/ai/server'
import type { Client, Loose } from './client'
import { World, type WorldOptions } from './world'

/** Options of the world, and hosts with port that it may reach besides the providers. */
type AiWorldOptions = WorldOptions & { allow?: string[] }

/** A world with simulated AI providers. */
export class AiWorld {
  private constructor(
    readonly world: World,
    readonly ai: AiSimulator,
    readonly admin: Client,
  ) {}

  /** Creates a world whose organization uses OpenAI with a working key. */
  static async create({ allow = [], ...options }: AiWorldOptions = {}): Promise<AiWorld> {
    const ai = new AiSimulator()
    const EGRESS_ALLOW = [ai.env.EGRESS_ALLOW, ...allow].join()
    const world = await World.create({
      ...options,
      env: { ...ai.env, EGRESS_ALLOW, ...options.env },
    })
    const own = new AiWorld(world, ai, await world.as('admin'))
    await own.configure({})
    return own
  }

  /** Changes the chatbot settings of the first tenant. */
  async configure(settings: Loose, accountId?: string): Promise<void> {
    const { status, body } = await this.admin.put(
      `/api/chatbot/settings${accountId === undefined ? '' : `?account_id=${accountId}`}`,
      {
        ai_provider: 'openai',
        ai_model: 'gpt-4o-mini',
        ai_api_key: this.ai.key,
        ai_purpose: 'Answers questions of the customers of a bakery.',
        ai_enabled: true,
        ...settings,
      },
    )
    if (status !== 200) throw new Error(JSON.stringify(body))
  }

  /** Asks the AI through the test route. */
  async ask(message: string, accountId?: string): Promise<Loose> {
    const body = { message, ...(accountId === undefined ? {} : { account_id: accountId }) }
    return (await this.admin.post('/api/chatbot/ai/test', body)).data
  }

  async stop(): Promise<void> {
    await this.world.stop()
    await this.ai.stop()
  }
}
