import type { TemplateData } from '../../../../infra/liquid/liquid'
import { builtInValues } from '../../../inbox/contacts/texts/template-values'
import { languagesOf } from './languages'
import type { Session, Turn } from './model'
import type { Ports } from './ports'

/** What templates and conditions see: variables, and the values that are built in. */
export function dataOf(
  ports: Pick<Ports, 'contact' | 'flowVersion' | 'language' | 'nowMs' | 'timezone'>,
  {
    session,
    turn,
    extra = {},
  }: {
    session: Session | null
    turn: Turn | null
    extra?: Record<string, unknown> | undefined
  },
): TemplateData {
  const { contact, timezone } = ports
  const flow =
    session?.flowId != null && session.flowVersion !== null
      ? ports.flowVersion(session.flowId, session.flowVersion)
      : null
  const values = {
    ...session?.variables,
    ...extra,
    ...builtInValues(contact, { text: turn?.text ?? null, nowMs: ports.nowMs() }),
    _flow_id: flow?.flowId ?? null,
    _flow_name: flow?.name ?? null,
  }
  return {
    values,
    timezone,
    language: languagesOf(ports).find((language) => language !== null) ?? null,
  }
}
