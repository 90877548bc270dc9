// The name that a folder gives to what lies in it.
#ifndef SWITCHBOARD_WORKER_FOLDER_NAME_H_
#define SWITCHBOARD_WORKER_FOLDER_NAME_H_

#include <string>

namespace switchboard::worker {

// The last part of `path` made absolute: "tiny" for "models/tiny/", the current folder's name for
// ".", and its parent's for "..". Links are not followed. Empty for "/", and when the current
// folder cannot be found.
std::string FolderName(const std::string& path);

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_FOLDER_NAME_H_
