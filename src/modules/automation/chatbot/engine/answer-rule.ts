import type { NewMessage } from '../../../inbox/messages/compose/model'
import type { Candidate, Candidates, RuleAnswer } from './candidates'
import { buttonsMessage, mediaMessage, textMessage } from './drafts'
import { beginFlow } from './flow/begin'
import type { TraceRow } from './model'
import { renderAll, renderText } from './render'
import { pauseRun, write, type Run } from './run'
import { transferOut } from './transfer-out'

/** What came of an answer: given, not possible, or waiting for its file. */
export type RuleResult = 'answered' | 'skipped' | 'waits'

/** Returns the best rule that asks for a transfer, or `null`. */
export function transferRuleIn({ found }: Candidates): Extract<Candidate, { kind: 'rule' }> | null {
  for (const candidate of found)
    if (candidate.kind === 'rule' && candidate.rule.responseType === 'transfer') return candidate
  return null
}

/** Answers with a rule or a flow. A rule that cannot answer is skipped, and the trace says why. */
export function answerWith(run: Run, candidate: Candidate, row: TraceRow): RuleResult {
  const { kind, keyword, groups } = candidate
  const result =
    kind === 'flow'
      ? startFlow(run, candidate.flowId, groups, row)
      : answerRule(run, candidate.rule, groups, row)
  if (result === 'answered')
    run.ports.countHit({
      kind,
      id: kind === 'flow' ? candidate.flowId : candidate.rule.id,
      keyword,
    })
  return result
}

function answerRule(
  run: Run,
  rule: RuleAnswer,
  groups: Record<string, string>,
  row: TraceRow,
): RuleResult {
  const text = renderText(run, rule.response, groups)
  switch (rule.responseType) {
    case 'transfer': {
      const { team_id: teamId, notes } = rule.content as { team_id?: string; notes?: string }
      transferOut(
        run,
        {
          source: 'keyword',
          teamId: teamId === undefined || teamId === 'general' ? null : teamId,
          notes: renderText(run, notes, groups),
        },
        { text, row },
      )
      return 'answered'
    }
    case 'flow':
      return startFlow(run, String(rule.content['flow_id']), groups, row)
    case 'media':
      return answerWithMedia(run, rule, text, row)
    case 'text':
      return send(run, text === null ? null : textMessage(text), row)
    case 'buttons':
      return send(run, buttonsOf(rule, text), row)
    case 'template': {
      const params = renderAll(run, rule.content['params'] ?? {}, groups)
      if ('problem' in params) return skip(row, params.problem)
      return send(
        run,
        {
          type: 'template',
          template_id: String(rule.content['template_id']),
          template_params: params.value as Record<string, string>,
        },
        row,
      )
    }
  }
}

function buttonsOf({ content }: RuleAnswer, body: string | null): NewMessage | null {
  if (body === null) return null
  const { buttons, header, footer } = content as {
    buttons: { id: string; title: string }[]
    header?: string | null
    footer?: string | null
  }
  return buttonsMessage({ body, buttons, header, footer })
}

/** The file of a rule: a stored one, or one at a URL, which is fetched first. */
function answerWithMedia(
  run: Run,
  { id, content }: RuleAnswer,
  caption: string | null,
  row: TraceRow,
): RuleResult {
  const { media_id, url, kind, filename } = content as Record<string, string | null | undefined>
  const { result } = run
  run.result = null
  const mediaId = media_id ?? result?.mediaId ?? null
  if (mediaId === null && result) return skip(row, result.error ?? 'media_not_fetched')
  if (mediaId === null) {
    const { session } = run
    if (!session) return skip(row, 'media_not_fetched')
    session.steps += 1
    const subject = { url: url ?? '', kind: kind ?? 'document' }
    const { waitingFor, expiresAtMs } = session
    const interrupted = session.flowId === null ? null : { waitingFor, expiresAtMs }
    const refused = pauseRun(
      run,
      { at: 'rule', ruleId: id, interrupted },
      { kind: 'file', key: session.steps, subject },
    )
    return refused ? skip(row, refused.refusal) : 'waits'
  }
  return send(run, mediaMessage({ kind: kind ?? 'document', mediaId, caption, filename }), row)
}

function send(run: Run, input: NewMessage | null, row: TraceRow): RuleResult {
  if (input === null) return skip(row, 'empty_text')
  const refusal = run.ports.refusalOf(input)
  if (refusal !== null) return skip(row, refusal)
  write(run, input, row)
  return 'answered'
}

/** Begins a flow. Named groups of a regular expression become its variables. */
function startFlow(
  run: Run,
  flowId: string,
  groups: Record<string, string>,
  row: TraceRow,
): RuleResult {
  const flow = run.ports.publishedFlow(flowId)
  if (!flow) return skip(row, 'bad_reference')
  // said before it begins: other work may have its turn amid it, and the run goes on as it was
  run.isAnswered = true
  beginFlow(run, flow, groups)
  return 'answered'
}

/** The rule is skipped: its row says why. */
function skip(row: TraceRow, reason: string): 'skipped' {
  row.error = reason
  return 'skipped'
}
