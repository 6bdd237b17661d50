import type { Module } from '../../../http/module'
import { carried } from '../../../infra/table-fates'
import { memberships } from './table'

export const membershipsModule: Module = {
  name: 'memberships',
  tables: [carried(memberships)],
}
