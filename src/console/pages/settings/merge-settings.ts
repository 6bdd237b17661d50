import type { Data } from '../../api/client'
import type { Merge } from '../../parts/merge'
import { t, type TextKey } from '../../texts/texts'

/**
 * Returns how a page of the organization's settings shows what somebody else saved meanwhile, with
 * the names of its fields.
 */
export const mergeOfSettings = <T extends object>(
  labels: Partial<Record<keyof T, TextKey>>,
): Merge<T> => ({
  read: (present) => {
    const { settings, ...rest } = present as Data<'GET /api/organizations/settings'>
    // the page chooses its fields among these
    return { ...settings, ...rest } as unknown as Partial<T>
  },
  label: (field) => t(labels[field] ?? 'settings.organization.other'),
})
