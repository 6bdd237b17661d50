import { useEffect, useState } from 'react'
import { useQuery } from '@tanstack/react-query'

import { call, request } from '../../../api/client'
import { ApiError } from '../../../api/error'
import type { Account, BusinessProfile } from '../../../api/shapes'
import { Section } from '../../../parts/page'
import { sentenceOf, Trouble } from '../../../parts/state'
import { notify } from '../../../parts/toast'
import { Upload } from '../../../parts/upload'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'

const MOST_BYTES = 5 * 1_024 * 1_024

/**
 * Returns an address of the picture of a number, which the server fetches from WhatsApp; `null`
 * while it is loaded, and if there is none.
 */
export function usePhoto(accountId: string, picture: string | null): string | null {
  const { data } = useQuery({
    queryKey: ['GET /api/accounts/{id}/business_profile/photo', accountId, picture],
    queryFn: async ({ signal }) => {
      const wish = { params: { id: accountId }, signal }
      const answer = await request('GET /api/accounts/{id}/business_profile/photo', wish)
      return await answer.blob()
    },
    enabled: picture !== null,
    retry: false,
  })
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    if (!data) return setAddress(null)
    const made = URL.createObjectURL(data)
    setAddress(made)
    return () => {
      URL.revokeObjectURL(made)
    }
  }, [data])
  return address
}

/** Why a picture was not taken. */
const troubleOf = (error: unknown): string =>
  error instanceof ApiError && error.status === 415
    ? t('number.profile.photo-type')
    : sentenceOf(error)

/** Replaces the picture of a number at once. */
export function Photo({ account, profile }: { account: Account; profile: BusinessProfile }) {
  const refresh = useRefresh('GET /api/accounts/{id}/business_profile')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const send = (file: File): void => {
    const body = new FormData()
    body.set('file', file)
    setBusy(true)
    setError(null)
    call('POST /api/accounts/{id}/business_profile/photo', { params: { id: account.id }, body })
      .then(refresh)
      .then(() => {
        notify(t('number.profile.photo-saved'))
      })
      .catch(setError)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <Section title={t('number.profile.photo')} hint={t('number.profile.photo-hint')}>
      {error !== null && <Trouble>{troubleOf(error)}</Trouble>}
      <Upload
        label={t('number.profile.photo')}
        hint={t(
          profile.profile_picture_url === null
            ? 'number.profile.photo-none'
            : 'number.profile.photo-replaces',
        )}
        accept="image/jpeg,image/png"
        maxBytes={MOST_BYTES}
        isBusy={isBusy}
        onFile={send}
      />
    </Section>
  )
}
