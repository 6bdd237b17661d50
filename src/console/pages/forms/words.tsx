import type { FlowSummary } from '../../api/shapes'
import { t } from '../../texts/texts'

/** The states of a form. */
export const STATES = ['DRAFT', 'PUBLISHED', 'THROTTLED', 'BLOCKED', 'DEPRECATED'] as const

/** What WhatsApp lets a form be for. */
export const CATEGORIES = [
  ...(['SURVEY', 'APPOINTMENT_BOOKING', 'CONTACT_US', 'CUSTOMER_SUPPORT'] as const),
  ...(['LEAD_GENERATION', 'SIGN_UP', 'SIGN_IN', 'OTHER'] as const),
] as const

const LOOKS: Record<FlowSummary['status'], string> = {
  ...{ DRAFT: '', PUBLISHED: 'good', THROTTLED: 'warn', BLOCKED: 'danger', DEPRECATED: '' },
}

/** The state of a form. */
export const FormState = ({ status }: Pick<FlowSummary, 'status'>) => (
  <span className={`chip ${LOOKS[status]}`}>{t(`forms.state.${status}`)}</span>
)

/** Whether WhatsApp lets a form be sent, and why not. */
export function Health({ health }: Pick<FlowSummary, 'health'>) {
  const { can_send: can, errors } = health
  const reason = errors.map(({ message, solution }) => message ?? solution).join(' ')
  if (can === null) return <span className="muted">{t('forms.health.unknown')}</span>
  return (
    <>
      <span
        className={`chip ${can === 'AVAILABLE' ? 'good' : can === 'LIMITED' ? 'warn' : 'danger'}`}
      >
        {t(`forms.health.${can}`)}
      </span>
      {reason !== '' && (
        <span className="second small" dir="auto" title={reason}>
          {reason}
        </span>
      )}
    </>
  )
}
