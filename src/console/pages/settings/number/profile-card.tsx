import type { ReactNode } from 'react'

import type { Account } from '../../../api/shapes'
import { Icon, type IconName } from '../../../parts/icons'
import { findText, t } from '../../../texts/texts'
import { numberOf } from './number-of'
import { usePhoto } from './photo'
import type { Values } from './profile-values'

const Row = ({ icon, children }: { icon: IconName; children: ReactNode }) => (
  <p className="profile-row">
    <Icon name={icon} size={18} />
    <bdi>{children}</bdi>
  </p>
)

interface Props {
  account: Account
  profile: Values
  /** WhatsApp's address of the picture, which changes when the picture does. */
  picture: string | null
}

/** The profile of a number as a customer sees it on the phone. */
export function ProfileCard({ account, profile, picture }: Props) {
  const file = usePhoto(account.id, picture)
  const { about, description, address, email, websites, vertical } = profile
  return (
    <figure className="phone profile-card" aria-label={t('number.profile.preview')}>
      <div className="profile-head">
        <span className="profile-picture">
          {file === null ? <Icon name="building" size={40} /> : <img src={file} alt="" />}
        </span>
        <p className="profile-name">
          <bdi>{account.verified_name ?? account.name}</bdi>
        </p>
        <p className="phone-muted">
          <bdi dir="ltr">{numberOf(account)}</bdi>
        </p>
        {about !== '' && <p dir="auto">{about}</p>}
      </div>
      <div className="profile-facts">
        {description !== '' && (
          <p className="profile-words" dir="auto">
            {description}
          </p>
        )}
        {vertical !== '' && (
          <Row icon="tag">{findText(`number.vertical.${vertical}`) ?? vertical}</Row>
        )}
        {address !== '' && <Row icon="location">{address}</Row>}
        {email !== '' && <Row icon="mention">{email}</Row>}
        {websites
          .filter((site) => site !== '')
          .map((site) => (
            <Row key={site} icon="link">
              {site}
            </Row>
          ))}
      </div>
      <figcaption className="phone-muted small">{t('number.profile.preview')}</figcaption>
    </figure>
  )
}
