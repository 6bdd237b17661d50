/** A keyword rule, as far as the engine needs it. */
export interface RuleAnswer {
  id: string
  responseType: 'text' | 'buttons' | 'media' | 'template' | 'flow' | 'transfer'
  /** Template of the text. */
  response: string | null
  content: Record<string, unknown>
  interruptsFlow: boolean
}

/** A rule or the trigger of a flow that matches a turn. */
export type Candidate =
  | { kind: 'rule'; rule: RuleAnswer; keyword: string; groups: Record<string, string> }
  | { kind: 'flow'; flowId: string; keyword: string; groups: Record<string, string> }

/** Everything that matches a turn, the best first. */
export interface Candidates {
  found: Candidate[]
  /** What the trace says about those that were not tried, if any. */
  note: { outcome: string; error: string } | null
}
