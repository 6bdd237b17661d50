import { on } from '../../infra/outbox/relay'
import { AccountChanged } from '../accounts/events'
import { adoptUnrouted } from './jobs'

export const inboundReactions = [on(AccountChanged, adoptUnrouted)]
