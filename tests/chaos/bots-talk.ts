import type { Simulator } from '../../src/simulator/platform'
import { textMessage } from '../../src/simulator/payloads'
import type { Client } from '../support/client'
import type { Reading } from './installation'

const POLL_MS = 25

/** Talks of one person; more replies in a minute would look like a loop of two bots. */
const TALKS_OF_PERSON = 3

/** What a customer is told who is handed over to a person. */
export const HANDED_OVER = 'A colleague answers soon.'

/**
 * The replies of a talk, in their order: the AI, the hand-over, then a flow with a question, a request
 * and a delay.
 */
const repliesOf = (talk: number): string[] => [
  `Answer to question ${talk}.`,
  HANDED_OVER,
  'Which order?',
  `Found number ${talk}.`,
  `Goodbye, number ${talk}.`,
]

/** What a talker needs of its round. */
export interface Surroundings {
  simulator: Simulator
  reading: Reading
  /** An agent, who ends transfers. */
  agent: Client
}

/** A place from which customers talk to the bot, one person after the other. */
export class Talker {
  talks = 0
  private isStopped = false

  constructor(
    private readonly around: Surroundings,
    private readonly nth: number,
  ) {}

  /**
   * Talks until `isOver`, and then to the end of the talk: a question to the AI, a transfer to a
   * person who gives the customer back, and a flow to its end.
   */
  async talk(isOver: () => boolean): Promise<void> {
    while (!isOver() && !this.isStopped) {
      const before = (this.talks % TALKS_OF_PERSON) * repliesOf(0).length
      await this.says(`question ${this.talks}`)
      await this.hasReplies(before + 1)
      await this.says('I want an agent')
      await this.hasReplies(before + 2)
      await this.isTransferred((this.talks % TALKS_OF_PERSON) + 1)
      await this.says('order')
      await this.hasReplies(before + 3)
      await this.says(`number ${this.talks}`)
      await this.hasReplies(before + 5)
      // Its session ends with its last reply.
      if (!this.isStopped) this.talks += 1
    }
  }

  stop(): void {
    this.isStopped = true
  }

  private waIdOf(talk: number): string {
    return String(15_550_300_000 + this.nth * 1_000 + Math.floor(talk / TALKS_OF_PERSON))
  }

  /** Says something, as often as it takes until the server has it. */
  private async says(text: string): Promise<void> {
    const { simulator } = this.around
    const { phone } = simulator
    const waId = this.waIdOf(this.talks)
    const webhook = textMessage(text, {
      line: { wabaId: phone.wabaId, phoneNumberId: phone.id, displayPhoneNumber: '15550100001' },
      timestamp: Math.floor(Date.now() / 1_000),
      person: { waId, userId: `US.88${waId}` },
    })
    await this.until(async () => {
      const answer = await simulator.post(webhook).catch(() => null)
      return answer?.status === 200
    })
  }

  private hasReplies(count: number): Promise<void> {
    return this.until(() => this.replies(this.talks).length >= count)
  }

  /** Waits for a transfer of the person, and lets the agent end it. */
  private async isTransferred(count: number): Promise<void> {
    await this.until(() => this.transfers().length >= count)
    await this.until(async () => {
      const active = this.transfers().find(({ status }) => status === 'active')
      if (!active) return true
      await this.around.agent
        .put(`/api/chatbot/transfers/${active.id}/resume`, {})
        .catch(() => null)
      return false
    })
  }

  private transfers(): { id: string; status: string }[] {
    return this.around.reading.rows(
      `select t.id, t.status from transfers t
       join contacts c on c.organization_id = t.organization_id and c.id = t.contact_id
       where c.wa_id = ?`,
      this.waIdOf(this.talks),
    )
  }

  private async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!this.isStopped && !(await isSo())) await Bun.sleep(POLL_MS)
  }

  /** The replies to the person of a talk, oldest first. */
  private replies(talk: number): string[] {
    return this.around.reading
      .rows<{ text: string }>(
        `select json_extract(m.content, '$.text') as text from messages m
         join contacts c on c.organization_id = m.organization_id and c.id = m.contact_id
         where c.wa_id = ? and m.direction = 'outgoing' and m.resend_of_id is null order by m.id`,
        this.waIdOf(talk),
      )
      .map(({ text }) => text)
  }

  /** What is wrong with its replies. */
  faults(): string[] {
    const expected = Array.from({ length: this.talks }, (_, nth) => repliesOf(nth)).flat()
    const actual: string[] = []
    for (let talk = 0; talk < this.talks; talk += TALKS_OF_PERSON)
      actual.push(...this.replies(talk))
    return JSON.stringify(actual) === JSON.stringify(expected)
      ? []
      : [
          `customer ${this.nth} got ${actual.length} replies instead of ${expected.length}: …${actual.slice(-6).join(' | ')}`,
        ]
  }
}
