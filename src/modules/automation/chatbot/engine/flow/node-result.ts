import type { FlowVersion } from '../../bot-flows/queries'
import type { CallKind } from '../model'

/** What came of a node. */
export type NodeResult =
  | { kind: 'next'; outcome: string; error?: string | null }
  | { kind: 'wait'; for: 'reply' | 'form' }
  | { kind: 'timer'; atMs: number }
  | { kind: 'call'; call: CallKind; subject: Record<string, string> }
  | { kind: 'goto'; flow: FlowVersion }
  | { kind: 'ended' }
  | { kind: 'loop'; error: string }
