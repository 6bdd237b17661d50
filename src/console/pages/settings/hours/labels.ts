import type { TextKey } from '../../../texts/texts'
import type { Values } from './hours'

/** What people call the fields of the page, where two of them may have changed one. */
export const LABELS: Partial<Record<keyof Values, TextKey>> = {
  business_hours_enabled: 'settings.hours.enabled',
  business_hours: 'settings.hours.week',
  holidays: 'settings.hours.holidays',
  out_of_hours_notice: 'settings.hours.tell',
  out_of_hours_message: 'settings.hours.closed-text',
  new_conversations: 'settings.organization.new',
  sla_enabled: 'settings.sla.enabled',
  sla_response_minutes: 'settings.sla.response',
  sla_escalation_minutes: 'settings.sla.escalation',
  sla_resolution_minutes: 'settings.sla.resolution',
  sla_business_hours_only: 'settings.sla.hours-only',
  sla_warning_message: 'settings.sla.warning',
  sla_auto_close_hours: 'settings.silence.close-after',
  client_reminder_enabled: 'settings.silence.remind',
  client_reminder_minutes: 'settings.silence.remind-after',
  client_auto_close_minutes: 'settings.silence.end-after',
  client_reminder_message: 'settings.silence.message',
}
