import type { ChatbotSettings } from '../catalog'

/** Returns a warning about business hours without one open minute. */
export function hoursWarnings({
  business_hours_enabled: isEnabled,
  business_hours: hours,
  holidays,
}: Readonly<ChatbotSettings>): { code: 'never_open'; message: string }[] {
  const opens =
    hours.some(({ enabled }) => enabled) || holidays.some(({ intervals }) => intervals.length > 0)
  return !isEnabled || opens
    ? []
    : [
        {
          code: 'never_open',
          message:
            'The business hours have no open minute: customers are told at any time that you are ' +
            'closed. Enable a day, or switch `business_hours_enabled` off.',
        },
      ]
}
