import { useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'

import { call, type Data } from '../../api/client'
import type { Contact, Duplicate } from '../../api/shapes'
import { changeData } from '../../live/change-data'
import { keyOf } from '../../live/query'
import { invalidateSoon } from '../../live/refresh'
import { nameOf } from '../../parts/contact/name'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** The list of pairs. */
export const ROUTE = 'GET /api/contacts/duplicates'
/** Pairs that are loaded at once. */
export const AT_ONCE = 20

/** Returns what is asked for a pair of the list. */
export const queryFor = (pair: number, isApart: boolean) => ({
  ...{ page: Math.ceil(pair / AT_ONCE), limit: AT_ONCE },
  ...(isApart ? { apart: true } : {}),
})

const idsOf = ({ contacts }: Duplicate): string => contacts.map(({ id }) => id).join()

/** Returns what can be done with a pair. */
export function useVerbs() {
  const client = useQueryClient()
  const { pair = 1, apart: isApart = false } = useSearch({ from: '/contacts/duplicates' })
  const refresh = (): void => {
    invalidateSoon(client, ROUTE)
  }
  /** Shows the next pair at once: comparing all contacts again takes a moment. */
  const takeOut = (shown: Duplicate): void => {
    const key = keyOf(ROUTE, { query: queryFor(pair, isApart) })
    changeData<Data<typeof ROUTE>>(client, key, (known) => ({
      ...known,
      items: known.items.filter((one) => idsOf(one) !== idsOf(shown)),
      total: known.total === null ? null : known.total - 1,
    }))
    refresh()
  }
  /** Says whether the contacts of a pair are different people. */
  const store = ({ contacts: [one, other] }: Duplicate, areApart: boolean): Promise<unknown> => {
    const params = { id: one?.id ?? '', other_id: other?.id ?? '' }
    return areApart
      ? call('PUT /api/contacts/{id}/apart/{other_id}', { params })
      : call('DELETE /api/contacts/{id}/apart/{other_id}', { params })
  }
  return {
    /** Moves everything of one contact to the other one. */
    merge: (kept: Contact, other: Contact): void => {
      const params = { id: kept.id }
      call('POST /api/contacts/{id}/merge', { params, body: { source_id: other.id } })
        .then(({ merge_id: id }) => {
          refresh()
          notify(t('records.duplicates.merged', { name: nameOf(kept) }), () => {
            call('POST /api/contacts/merges/{id}/undo', { params: { id } })
              .then(refresh)
              .catch(report)
          })
        })
        .catch(report)
    },
    /** Moves a pair to those that were told apart, or back to those to check. */
    tellApart: (shown: Duplicate, areApart: boolean): void => {
      store(shown, areApart)
        .then(() => {
          takeOut(shown)
          const [one = '', other = ''] = shown.contacts.map(nameOf)
          const text = areApart ? 'records.duplicates.told-apart' : 'records.duplicates.again'
          notify(t(text, { one, other }), () => {
            store(shown, !areApart).then(refresh).catch(report)
          })
        })
        .catch(report)
    },
  }
}
