import { useMemo, useRef, useState } from 'react'

import { call, type Body, type Data } from '../../api/client'
import type { BotPreview } from '../../api/shapes'
import { writeGraph } from './model/graph'
import { readReply, type Reply } from './model/reply'
import { useFlow } from './use-flow'

/** What was said in a test, by whom. */
export type Said =
  | { by: 'customer'; text: string }
  | ({ by: 'bot'; isAi: boolean; template: string | null } & Reply)

/** A test of a flow. */
export interface Test {
  said: readonly Said[]
  session: BotPreview['session']
  trace: BotPreview['trace']
  effects: BotPreview['outcome']['effects']
  isBusy: boolean
  error: unknown
  /** Steps that it ran through. */
  path: ReadonlySet<string>
  /** Says something as the customer would. */
  say: (message: Message, text: string) => void
  restart: () => void
}

/** What a customer can send in a test. */
export type Message = NonNullable<Body<'POST /api/chatbot/preview'>['message']>

/** A test without what is done with it. */
type Running = Omit<Test, 'path' | 'say' | 'restart'>

const NEW: Running = {
  ...{ said: [], session: null, trace: [], effects: [] },
  ...{ isBusy: false, error: null },
}

/** Tests a flow as it stands, without sending anything. */
export function useTest(): Test {
  const { flow, graph } = useFlow()
  const [test, setTest] = useState<Running>(NEW)
  /** Answers of a test that was begun again are not shown. */
  const run = useRef(0)
  const say = (message: Message, text: string): void => {
    const { current } = run
    const isOver = test.session !== null && test.session.status !== 'active'
    const before = isOver ? { ...NEW, said: test.said } : test
    setTest({
      ...before,
      said: [...test.said, { by: 'customer', text }],
      ...{ isBusy: true, error: null },
    })
    const { session } = before
    call('POST /api/chatbot/preview', {
      body: {
        message,
        flow_id: flow.id,
        graph: writeGraph(graph),
        ...(session === null ? {} : { session }),
        ...(flow.account_id === null ? {} : { account_id: flow.account_id }),
      },
    })
      .then((answer) => {
        if (current === run.current) setTest((now) => withAnswer(now, answer))
      })
      .catch((error: unknown) => {
        if (current === run.current) setTest((now) => ({ ...now, isBusy: false, error }))
      })
  }
  const path = useMemo(
    () => new Set(test.trace.flatMap(({ node_id: id }) => id ?? [])),
    [test.trace],
  )
  return {
    ...test,
    say,
    path,
    restart: () => {
      run.current += 1
      setTest(NEW)
    },
  }
}

const withAnswer = (now: Running, answer: Data<'POST /api/chatbot/preview'>): Running => ({
  said: [
    ...now.said,
    ...answer.replies.map(({ message, ai_generated: isAi }): Said => ({
      ...{ by: 'bot', isAi, ...readReply(message) },
      template: typeof message['template_id'] === 'string' ? message['template_id'] : null,
    })),
  ],
  session: answer.session,
  trace: [...now.trace, ...answer.trace],
  effects: [...now.effects, ...answer.outcome.effects],
  isBusy: false,
  error: null,
})
