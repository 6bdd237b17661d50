import { activateRootKey } from '../../src/infra/keys/keyring'
import { AiSimulator } from '../simulator/ai/server'
import { Client } from './client'
import { upload } from './files'
import { sendExamples } from './full-organization'
import { enliven, livelyCustomer } from './lively-organization'
import { joinCells } from './moves'
import { packed, smallArchive } from './organization-archive'
import { personWith } from './people'
import { Receiver } from './receiver'
import { World } from './world'

/** Tables without rows in a filled installation, and why. */
export const EMPTY_TABLES: Record<string, string> = {
  organization_import_links: 'has rows while an import runs',
  organization_import_numbers: 'has rows while an import runs',
  organization_import_users: 'has rows while an import runs, and until people confirm',
  permission_seeds: 'the catalog of permissions has not changed since the first release',
}

/** Routes whose documented examples leave rows that belong to the server and its people. */
const EXAMPLES = [
  'POST /api/prices/import',
  'POST /api/push/subscriptions',
  'POST /api/me/2fa/backup-codes',
  'POST /api/contacts/:id/erase',
  'POST /api/admin/backups',
]

/** A world with rows in every table that can have some, and the services around it. */
export class FilledInstallation implements AsyncDisposable {
  private constructor(
    readonly world: World,
    /** Settings without which its data cannot be used. */
    readonly env: Record<string, string>,
    private readonly receiver: Receiver,
    private readonly ai: AiSimulator,
  ) {}

  static async create(): Promise<FilledInstallation> {
    const receiver = new Receiver()
    const ai = new AiSimulator()
    const env = {
      ...ai.env,
      EGRESS_ALLOW: `${new URL(receiver.url).host},${ai.env.EGRESS_ALLOW}`,
      SMTP_URL: 'smtp://127.0.0.1:9',
      BASE_URL: 'https://chat.example.com',
    }
    const startMs = Date.UTC(2026, 9, 21, 9, 30) // examples have dates of a month later
    const world = await World.create({ env, startMs, tenants: 3, agentsSeeUnassigned: true })
    const filled = new FilledInstallation(world, env, receiver, ai)
    await filled.eraseOrganization()
    await enliven(world, receiver.url)
    await sendExamples(world, EXAMPLES)
    await filled.moveAndImport()
    return filled
  }

  /** Erases the third organization. */
  private async eraseOrganization(): Promise<void> {
    const { world } = this
    const id = world.tenants.pop()?.id ?? ''
    const [row] = world.rows('select slug from organizations where id = ?', id)
    const confirm = String(row?.['slug'])
    await (await world.as('super')).request('DELETE', `/api/organizations/${id}`, { confirm })
    world.clock.advance({ hours: 31 * 24 })
    await world.settle()
  }

  /** Begins a move, which is given up, and checks an archive. */
  private async moveAndImport(): Promise<void> {
    const { world } = this
    const peer = await World.create({
      ...{ isConnected: false, tenants: 1, startMs: world.clock.nowMs() },
    })
    joinCells(world, peer)
    joinCells(peer, world)
    const superAdmin = await world.as('super')
    const path = `/api/admin/organizations/${world.other.id}/move`
    await superAdmin.post(path, { to: peer.url })
    await superAdmin.delete(path)
    await world.settle()
    await peer.stop()
    await upload(superAdmin, {
      ...{ path: '/api/admin/organizations/import', name: 'small.zip', type: 'application/zip' },
      bytes: await packed(await smallArchive(world)),
    })
  }

  /** Writes the archive of the first organization, with its secrets. */
  async archive(passphrase: string): Promise<Uint8Array<ArrayBuffer>> {
    const { world } = this
    const superAdmin = await world.signIn(world.emailOf('super', world.tenant))
    const path = `/api/organizations/${world.tenant.id}/archive`
    const { data } = await superAdmin.post(path, { passphrase })
    await world.settle()
    const { headers } = superAdmin
    const file = await fetch(`${world.url}${path}s/${data['id']}/download`, { headers })
    return new Uint8Array(await file.arrayBuffer())
  }

  /** Leaves what a server holds for seconds or minutes. Afterwards nothing may run. */
  async leaveUnderWay(): Promise<void> {
    const { world, ai } = this
    const admin = await world.as('admin')
    activateRootKey(world.program.http) // as each start of the server
    const { userId } = await personWith(world, [])
    await admin.delete(`/api/organizations/members/${userId}`)
    await admin.put('/api/chatbot/settings', {
      ...{ ai_provider: 'openai', ai_model: 'gpt-4o-mini', ai_api_key: ai.key, ai_enabled: true },
      ...{ ai_purpose: 'Answers questions.', business_hours_enabled: false, debounce_seconds: 0 },
    })
    // The bot may read both messages at once or one by one.
    ai.plan({ kind: 'malformed' }, { kind: 'malformed' })
    world.simulator.answerHtml(503, { route: 'media_bytes' })
    const customer = livelyCustomer(world)
    await customer.sends({ type: 'image', caption: 'Look' })
    await customer.says('A question that no rule answers')
    await world.settle()
    await admin.put('/api/chatbot/settings', { debounce_seconds: 10 })
    await customer.says('A question of several messages')
    const email = world.emailOf('agent', world.tenant)
    await world.anyone.post('/api/auth/password/forgot', { email })
    await world.settle()
    const keyed = new Client(world.url, { ...admin.headers, 'idempotency-key': 'once' })
    await keyed.post('/api/tags', { name: 'Once', color: 'blue' })
    await admin.post('/api/auth/ws-ticket')
    const login = { email, password: 'not the password' }
    await world.anyone.post('/api/auth/login', login)
    await customer.says('A delivery that waits for the journal')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.stop()
    await this.receiver[Symbol.asyncDispose]()
    await this.ai.stop()
  }
}
