import { InvalidError, NotFoundError } from '../../../../lib/errors'
import { freeObjectProblems } from '../../../../lib/free-object'
import { throwProblems } from '../../../../lib/input-problems'
import { systemCtx, type Ctx } from '../../../../infra/ctx'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { findAccount } from '../../../channel/accounts/queries'
import { botContact } from '../../../inbox/contacts/texts/bot-contact'
import { getVisibleContact, masksNumbers } from '../../../inbox/contacts/sight/visibility'
import { beginFlow } from '../engine/flow/begin'
import { setVariables } from '../engine/flow/guards'
import type { Turn } from '../engine/model'
import { turnOf } from '../engine/production/read-turn'
import { finishRun } from '../engine/finish-run'
import { beginRun, openSession, type Run } from '../engine/run'
import { readyArrivals, resumeRun, runTurn } from '../engine/turn'
import { rulesAreReady } from '../keywords/sets'
import { performCall } from './call'
import { flowOf, type PreviewFlow } from './flow'
import type { PreviewMessage, PreviewRequest, PreviewResult } from './model'
import { Recorder } from './recorder'
import { messageOf, readSession, traceEntry, writeSession } from './session'

const VARIABLE_LIMITS = { bytes: 16 * 1_024, levels: 8 }
const SESSION_LIMITS = { bytes: 80 * 1_024, levels: 10 }

/** Continuations of one preview at most, and the time after which none begins, milliseconds. */
const MAX_HOPS = 2_000
const MAX_MS = 60_000

/** What all turns of a preview have in common. */
interface Preview {
  ctx: Ctx
  recorder: Recorder
  flow: PreviewFlow | null
  clock: { nowMs: number }
  accountId: string | null
  contactId: string | null
  variables: Record<string, unknown>
  executes: { http: boolean; ai: boolean }
  /** Whether there is no time left for another continuation. */
  isOver: () => boolean
}

/**
 * Runs turns through the engine of production on a session in memory: nothing is sent and nothing is
 * stored. Delays pass at once. Throws InvalidError (`invalid_input`, `graph_invalid`) and
 * NotFoundError.
 */
export async function previewTurns(ctx: Ctx, request: PreviewRequest): Promise<PreviewResult> {
  const messages = messagesIn(request)
  const preview = prepare(ctx, request)
  const { recorder, clock } = preview
  await rulesAreReady(preview.ctx)
  let answered = false
  for (const message of messages) {
    const stored = messageOf(message, preview.ctx.ids.next(), clock.nowMs)
    answered = await answer(preview, turnOf([stored], false))
  }
  return {
    replies: recorder.replies,
    trace: recorder.trace.map(traceEntry),
    session:
      recorder.session &&
      writeSession(recorder.session, {
        isGreeted: recorder.greetedAtMs !== null,
        language: recorder.guessedLanguage,
      }),
    outcome: {
      answered,
      conversation_state: recorder.conversationState,
      effects: recorder.effects,
    },
  }
}

function messagesIn({ message, messages }: PreviewRequest): PreviewMessage[] {
  if ((message === undefined) !== (messages === undefined)) return messages ?? [message ?? '']
  throw new InvalidError('`message` or `messages` is required, but only one of them.', {
    code: 'invalid_input',
    errors: [
      { path: 'body.message', message: 'or messages is required, but only one of them' },
      { path: 'body.messages', message: 'or message is required, but only one of them' },
    ],
  })
}

function prepare(ctx: Ctx, request: PreviewRequest): Preview {
  const { variables = {}, session } = request
  throwProblems([
    ...freeObjectProblems(variables, 'body.variables', VARIABLE_LIMITS),
    ...freeObjectProblems(session?.variables ?? {}, 'body.session.variables', SESSION_LIMITS),
  ])
  const accountId = request.account_id ?? null
  if (accountId !== null && findAccount(ctx, accountId)?.deletedAtMs !== null)
    throw new NotFoundError('Account')
  const row = request.contact_id === undefined ? null : getVisibleContact(ctx, request.contact_id)
  // As the bot's own jobs see the organization, except for masked numbers.
  const own = systemCtx(ctx, ctx.organizationId)
  const clock = { nowMs: request.at === undefined ? ctx.clock.nowMs() : Date.parse(request.at) }
  const flow = flowOf(own, request)
  const recorder = new Recorder(own, {
    accountId,
    contactId: row?.id ?? null,
    contact: botContact(own, row, masksNumbers(ctx)),
    language: session?.language ?? null,
    isLanguageKnown: row !== null && row.language !== null,
    flow,
    clock,
    session: session ? readSession(session, clock.nowMs) : null,
    isGreeted: session?.is_greeted ?? false,
  })
  const startedMs = performance.now()
  return {
    ctx: own,
    recorder,
    flow,
    clock,
    accountId,
    contactId: row?.id ?? null,
    variables,
    executes: { http: request.execute_http ?? false, ai: request.execute_ai ?? false },
    isOver: () => performance.now() - startedMs > MAX_MS,
  }
}

/** Answers one turn. Returns whether more than the fallback answered. */
async function answer(preview: Preview, turn: Turn): Promise<boolean> {
  const { recorder, flow, variables } = preview
  recorder.hears(turn)
  const known = recorder.session?.status === 'active' ? recorder.session : null
  let run = beginRun(recorder.ports(), known, turn)
  run.variables = variables
  if (flow && !known && !recorder.isTransferred) {
    const session = openSession(run)
    session.firstMessageId = null // as if the flow was started by request
    setVariables(session, variables)
    beginFlow(run, flow.version)
  } else runTurn(readyArrivals(run, turn))
  finishRun(run)
  for (let hops = 0; hops < MAX_HOPS && !preview.isOver(); hops += 1) {
    const next = await continued(preview)
    if (next === null) break
    run = next
  }
  return run.isAnswered
}

/** Continues a session that waits for anything but the customer; `null` if it does not. */
async function continued(preview: Preview): Promise<Run | null> {
  const { ctx, recorder, clock } = preview
  const { session } = recorder
  const isWaiting = session?.waitingFor === 'reply' || session?.waitingFor === 'form'
  if (session?.status !== 'active' || isWaiting) return null
  await yieldToEventLoop()
  const call = recorder.pendingCall
  const ports = recorder.ports()
  const { run: paused } = session.state
  if (call && paused) paused.result = await performCall(ctx, { ...preview, session, call, ports })
  if (session.waitingFor === 'timer')
    clock.nowMs = Math.max(clock.nowMs, recorder.continuesAtMs ?? 0)
  const run = beginRun(ports, session, null)
  resumeRun(run, paused?.point ?? { at: 'flow' })
  finishRun(run)
  return run
}
