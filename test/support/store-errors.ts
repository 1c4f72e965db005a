import { mongo } from 'mongoose';

/**
 * As the driver fails what is under way when its monitor gives a server up: a class that it does not export, with a name of its
 * own and no label that says more.
 */
export class PoolClearedOnNetworkError extends mongo.MongoNetworkError {
  constructor() {
    super('Connection to 127.0.0.1:27017 interrupted due to server monitor timeout');
  }
  override get name(): string {
    return 'PoolClearedOnNetworkError';
  }
}
