import type { Module } from '../../../http/module'
import { shared } from '../../../infra/table-fates'
import { users } from './table'

export const usersModule: Module = {
  name: 'users',
  tables: [
    shared(users, 'a login serves all organizations of a person; it travels with the membership'),
  ],
}
