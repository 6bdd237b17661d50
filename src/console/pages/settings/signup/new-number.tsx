import { useState, type ReactNode } from 'react'

import { Button } from '../../../parts/button'
import { fieldErrors, Form, TextField, textOf } from '../../../parts/field'
import { Select } from '../../../parts/select'
import { sentenceOf, Trouble } from '../../../parts/state'
import { t } from '../../../texts/texts'
import { META_PAGES, MetaLink } from './meta-link'
import type { Signup, WithoutNumber } from './use-signup'

/** A business account without a number: add one here, or there and look again. */
export function NewNumber({
  of: { business_ids: businesses },
  signup,
  again,
}: {
  of: WithoutNumber
  signup: Signup
  again: ReactNode
}) {
  const [businessId = ''] = businesses
  const [chosen, setChosen] = useState(businessId)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  if (businesses.length === 0)
    return (
      <>
        <p role="status">{t('signup.no-business')}</p>
        <footer className="actions">{again}</footer>
      </>
    )
  const add = (data: FormData): void => {
    setBusy(true)
    setError(null)
    signup
      .addNumber({
        business_id: chosen,
        phone_number: textOf(data, 'phone_number').trim(),
        verified_name: textOf(data, 'verified_name').trim(),
      })
      .catch((problem: unknown) => {
        setBusy(false)
        setError(problem)
      })
  }
  return (
    <Form onSubmit={add} validationErrors={fieldErrors(error)}>
      <p role="status">{t('signup.no-number')}</p>
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      {businesses.length > 1 && (
        <Select
          label={t('signup.account')}
          choices={businesses.map((id) => ({ id, label: id }))}
          value={chosen}
          onChange={setChosen}
        />
      )}
      <TextField
        name="phone_number"
        label={t('signup.number')}
        hint={t('signup.number-hint')}
        inputMode="tel"
        isRequired
      />
      <TextField
        name="verified_name"
        label={t('signup.name')}
        hint={t('signup.name-hint')}
        maxLength={128}
        isRequired
      />
      <footer className="actions">
        <MetaLink href={META_PAGES.manager}>{t('signup.manager')}</MetaLink>
        <Button onPress={signup.lookAgain}>{t('signup.look-again')}</Button>
        <Button type="submit" look="primary" isPending={isBusy}>
          {t('signup.add')}
        </Button>
      </footer>
    </Form>
  )
}
