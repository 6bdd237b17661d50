import type { Simulator } from '../../src/simulator/platform'
import type { Phone } from '../../src/simulator/accounts'
import { Client } from '../support/client'
import type { Loose } from '../support/client'
import type { Installation } from './installation'
import type { ServerProcess } from '../support/process'

/**
 * How many people a campaign is for, and how fast it goes, messages a second: some seconds long, so
 * that kills meet it.
 */
const RECIPIENTS = 40
export const CAMPAIGN_SPEED = 20
/** The platform lets a new number write first to two thousand people a day. */
const MAX_CAMPAIGNS = 40
const FIRST_NUMBER = 15_550_600_000

/** A campaign that was answered as started. */
export interface Campaign {
  id: string
  /** Phone numbers of its recipients. */
  numbers: string[]
}

/** The credentials, number and template with which campaigns of one organization are sent. */
interface Sender {
  client: Client
  accountId: string
  templateId: string
}

/** The running chaos round. */
interface Round {
  /** The server that runs now. */
  server: () => ServerProcess | null
  /** Whether new campaigns may start, and whether the round is over. */
  isSending: () => boolean
  isOver: () => boolean
  random: () => number
  /** Recipients and speed, as a share of the usual. */
  load: number
  /** Reports an unexpected response. */
  wrong: (what: string) => void
}

/**
 * Starts campaigns, one after the other for each organization. Repeats requests that a kill cut off,
 * as people do.
 */
export class Campaigns {
  readonly started: Campaign[] = []
  private readonly senders: Sender[] = []
  private begun = 0
  private busy = 0

  constructor(private readonly round: Round) {}

  /** Readies an organization: an approved template of its number. */
  async prepare(
    simulator: Simulator,
    client: Client,
    phone: Phone,
    accountId: string,
  ): Promise<void> {
    const body = { type: 'BODY', text: 'We have news for you today.' }
    simulator.keepTemplate(
      { name: 'news', language: 'en', category: 'MARKETING', components: [body] },
      phone.wabaId,
    )
    await client.post('/api/templates/sync', {})
    const [template] = (await client.get('/api/templates')).data['items'] as Loose[]
    this.senders.push({ client, accountId, templateId: String(template?.['id']) })
  }

  /** Goes on until all is over; one run of it for each organization. */
  async run(nth: number): Promise<void> {
    const { round } = this
    while (!round.isOver()) {
      const sender = this.senders[nth]
      if (
        sender &&
        round.isSending() &&
        round.server() &&
        this.begun < MAX_CAMPAIGNS * this.senders.length
      )
        await this.play(sender)
      else await Bun.sleep(5)
    }
  }

  /** Whether a step of one is just being asked for. */
  get isBusy(): boolean {
    return this.busy > 0
  }

  private async play(sender: Sender): Promise<void> {
    this.busy += 1
    await this.begin(sender)
    this.busy -= 1
    await Bun.sleep(1_000 * (1 + this.round.random() * 2))
  }

  private async begin(sender: Sender): Promise<void> {
    const first = FIRST_NUMBER + this.begun * RECIPIENTS
    this.begun += 1
    const { load } = this.round
    const numbers = Array.from({ length: Math.ceil(RECIPIENTS * load) }, (_, index) =>
      String(first + index),
    )
    const draft = {
      name: `News ${first}`,
      account_id: sender.accountId,
      template_id: sender.templateId,
      rate_limit: Math.ceil(CAMPAIGN_SPEED * load),
    }
    const made = await this.insist(sender, '/api/campaigns', draft, {
      'idempotency-key': `campaign-${first}`,
    })
    if (!made) return
    const path = `/api/campaigns/${String(made['id'])}`
    const recipients = numbers.map((phone_number) => ({ phone_number }))
    if (!(await this.insist(sender, `${path}/recipients/import`, { recipients }))) return
    if (!(await this.insist(sender, `${path}/start`, {}))) return
    this.started.push({ id: String(made['id']), numbers })
    if (this.round.random() < 0.3) {
      await Bun.sleep(this.round.random() * 500)
      await this.insist(sender, `${path}/pause`, {})
      await this.insist(sender, `${path}/resume`, {})
    }
  }

  /**
   * Asks until there is an answer; `null` when all is over before. A step that was taken although
   * its answer was lost is 409 the next time.
   */
  private async insist(
    sender: Sender,
    path: string,
    body: Loose,
    headers: Record<string, string> = {},
  ): Promise<Loose | null> {
    for (let tries = 0; !this.round.isOver(); tries += 1) {
      const server = this.round.server()
      const answer =
        server &&
        (await new Client(server.url, { ...sender.client.headers, ...headers })
          .post(path, body)
          .catch(() => null))
      if (answer && answer.status < 300) return answer.data
      if (answer?.status === 409 && tries > 0 && answer.body.code === 'wrong_state') return {}
      // A campaign that is through can be neither paused nor resumed.
      if (answer?.status === 409 && /\/(?:pause|resume)$/.test(path)) return {}
      if (answer && answer.status !== 503)
        this.round.wrong(
          `a campaign (${path.split('/').at(-1)}) was answered ${answer.status}: ${answer.body.message ?? ''}`,
        )
      if (answer && answer.status !== 503) return null
      await Bun.sleep(5)
    }
    return null
  }
}

type Judge = (claim: string, holds: boolean) => void

interface RecipientFacts {
  campaign: string
  id: string
  number: string
  status: string
  sends: number
  messageId: string | null
  stage: string | null
}

/**
 * Checks the campaigns at the end: each imported recipient exists once and got at most one message,
 * the states of recipients match their messages, nobody is missing, and the counters are right.
 */
export function judgeCampaigns(
  started: Campaign[],
  { installation, simulator }: { installation: Installation; simulator: Simulator },
  judge: Judge,
): void {
  const recipients = installation.rows<RecipientFacts>(
    `select r.campaign_id as campaign, r.id, r.phone_number as number, r.status, m.id as messageId, m.stage,
       (select count(*) from campaign_sends s where s.organization_id = r.organization_id and s.campaign_id = r.campaign_id and s.recipient_id = r.id and s.message_id is not null) as sends
     from campaign_recipients r
     left join campaign_sends s on s.organization_id = r.organization_id and s.campaign_id = r.campaign_id and s.recipient_id = r.id and s.attempt = r.attempt
     left join messages m on m.organization_id = s.organization_id and m.id = s.message_id`,
  )
  const byCampaign = Map.groupBy(recipients, ({ campaign }) => campaign)
  const lost = started.filter(
    ({ id, numbers }) =>
      (byCampaign.get(id) ?? [])
        .map(({ number }) => number)
        .toSorted()
        .join() !== numbers.join(),
  )
  judge(
    `${lost.length} campaigns that were started have not the recipients they were given`,
    lost.length === 0,
  )
  const calls = Map.groupBy(simulator.messages, ({ body }) =>
    String((body as Loose)['to']).slice(1),
  )
  const twice = recipients.filter(
    ({ number, sends }) => (calls.get(number)?.length ?? 0) > 1 || sends > 1,
  )
  judge(`${twice.length} recipients were written to more than once`, twice.length === 0)
  const isStarted = new Set(started.map(({ id }) => id))
  const odd = recipients.filter(({ campaign, number, status, stage }) => {
    if (!isStarted.has(campaign)) return false
    if (calls.has(number)) return status !== 'delivered'
    return (
      !(status === 'sending' && stage === 'ambiguous') &&
      !(status === 'unknown' && stage === 'unknown')
    )
  })
  judge(
    `${odd.length} recipients do not stand where they must: ${JSON.stringify(odd.slice(0, 5))}`,
    odd.length === 0,
  )
  judgeCounters(installation, judge)
}

function judgeCounters(installation: Installation, judge: Judge): void {
  const drifted = installation.rows(
    `select c.campaign_id as id, c.pending, c.sending, c.delivered, c.unknown from campaign_counts c where (c.pending, c.sending, c.delivered, c.unknown) is not
       (select coalesce(sum(status = 'pending'), 0), coalesce(sum(status = 'sending'), 0), coalesce(sum(status = 'delivered'), 0), coalesce(sum(status = 'unknown'), 0)
        from campaign_recipients r where r.organization_id = c.organization_id and r.campaign_id = c.campaign_id)`,
  )
  judge(`counters of campaigns have drifted: ${JSON.stringify(drifted)}`, drifted.length === 0)
  const open = installation.rows(
    `select c.id, c.status, c.pause_reason, n.pending, n.sending from campaigns c join campaign_counts n on n.organization_id = c.organization_id and n.campaign_id = c.id
     where c.status not in ('draft', 'completed') and not (c.status = 'sending' and n.pending = 0 and n.sending > 0)`,
  )
  judge(`campaigns neither end nor wait for an outcome: ${JSON.stringify(open)}`, open.length === 0)
}

/** How many campaigns still have somebody to write to. */
export const openCampaigns = (installation: Pick<Installation, 'rows'>): number =>
  installation.rows<{ n: number }>(
    `select count(*) as n from campaigns c where c.status in ('sending', 'paused') and exists (select 1 from campaign_recipients r
     where r.organization_id = c.organization_id and r.campaign_id = c.id and r.status = 'pending')`,
  )[0]?.n ?? 0
