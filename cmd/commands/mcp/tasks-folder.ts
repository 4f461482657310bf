/** The folder of the documents and outputs of tasks, absolute. */
export { tasksFolder } from "../../../src/config/project/tasks-folder.js";
