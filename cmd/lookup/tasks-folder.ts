// Where the outputs of stages are. They are always in the project's own folder, never in a worktree.
export { tasksFolder } from "../../src/config/project/tasks-folder.js";
