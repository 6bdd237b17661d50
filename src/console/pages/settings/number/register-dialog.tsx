import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { TextField, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { SearchSelect } from '../../../parts/search-select'
import { notify } from '../../../parts/toast'
import { formatCountry } from '../../../texts/format'
import { countries } from '../../../texts/places'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'

/** Leaves the country in which WhatsApp stores messages as it is. */
const AS_IT_IS = 'as-it-is'

/** The window in which a number is registered with WhatsApp, for the first time or again. */
export function RegisterDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const [country, setCountry] = useState(AS_IT_IS)
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}')
  return (
    <FormDialog
      title={t('number.register')}
      submit={t('signup.register.submit')}
      onClose={onClose}
      onSave={async (data) => {
        const pin = textOf(data, 'pin').trim()
        await call('POST /api/accounts/{id}/register', {
          params: { id: account.id },
          body: {
            ...(pin === '' ? {} : { pin }),
            ...(country === AS_IT_IS ? {} : { data_localization_region: country }),
          },
        })
        await refresh()
        notify(t('number.registered'))
      }}
    >
      <p className="muted">{t('number.register-hint')}</p>
      <TextField
        name="pin"
        label={t('number.pin')}
        hint={t(account.has_pin ? 'number.pin-known' : 'number.pin-new')}
        inputMode="numeric"
        autoComplete="off"
        maxLength={6}
        autoFocus
      />
      <SearchSelect
        name="data_localization_region"
        label={t('number.storage')}
        hint={t('number.storage-hint')}
        choices={[
          { id: AS_IT_IS, label: t('number.storage.unchanged') },
          ...countries().map((id) => ({ id, label: formatCountry(id) })),
        ]}
        value={country}
        onChange={setCountry}
      />
    </FormDialog>
  )
}
